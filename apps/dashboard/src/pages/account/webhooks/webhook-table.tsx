import type { Webhook } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { useAllProjects } from '../../../data/projects.ts';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { ZoneNote } from '../../../parts/zone.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { WebhookStatus } from './webhook-status.tsx';
import { toShortUrl } from './webhooks-data.ts';

const words = pageTexts.webhooks;
const { columns } = words;
const MAX_NAMES = 3;

/** The names of its events; a long list is shortened. */
export const EventNames = ({ names }: { names: readonly string[] }) => (
  <span className="event-names">
    {names.slice(0, MAX_NAMES).map((name) => (
      <code key={name} className="event">
        {name}
      </code>
    ))}
    {names.length > MAX_NAMES ? <small>{words.moreEvents(names.length - MAX_NAMES)}</small> : null}
  </span>
);

const Row = ({ webhook }: { webhook: Webhook }) => {
  const { data: projects } = useAllProjects();
  const project = projects?.find(({ id }) => id === webhook.project_id);
  const notes = [webhook.description, project && words.ofProject(project.name)].filter((note) => note);
  return (
    <tr>
      <td data-card="name" className="wide">
        <Link to="/account/webhooks/$id" params={{ id: webhook.id }} className="row-name row-link">
          <b>
            <bdi>{toShortUrl(webhook.url)}</bdi>
          </b>
          <small className="truncate font-text">
            <bdi>{notes.join(', ')}</bdi>
          </small>
        </Link>
      </td>
      <td data-card="below">
        <EventNames names={webhook.events} />
      </td>
      <td data-card="below">
        <WebhookStatus webhook={webhook} />
      </td>
      <td className="num">
        <Time at={webhook.created_at} as="moment" />
      </td>
      <td data-card="end" className="num">
        <Link
          to="/account/webhooks/$id"
          params={{ id: webhook.id }}
          className="button"
          aria-label={words.openOf(toShortUrl(webhook.url))}
        >
          {words.open}
        </Link>
      </td>
    </tr>
  );
};

export const WebhookTable = ({ webhooks }: { webhooks: readonly Webhook[] | undefined }) => (
  <>
    <Table
      caption={words.caption}
      columns={[columns.url, columns.events, columns.status, { number: columns.created }]}
      actions={columns.actions}
      items={webhooks}
      expected={2}
    >
      {(webhook) => <Row key={webhook.id} webhook={webhook} />}
    </Table>
    <ZoneNote />
  </>
);
