import type { Webhook } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { useAllProjects } from '../../../data/projects.ts';
import { Table } from '../../../parts/table.tsx';
import { ZoneNote } from '../../../parts/zone.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { texts } from '../../../texts/texts.ts';
import { AboutMs, DayBars, Pending } from '../../../parts/webhook/day.tsx';
import { WebhookStatus } from '../../../parts/webhook/webhook-status.tsx';
import { EventNames } from '../../../parts/webhook/event-names.tsx';
import { toShortUrl } from '../../../parts/webhook/short-url.ts';

const words = pageTexts.webhooks;
const { columns } = words;

const Row = ({ webhook }: { webhook: Webhook }) => {
  const { data: projects } = useAllProjects();
  const project = projects?.find(({ id }) => id === webhook.project_id);
  const { last_24_hours: day } = webhook;
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
      <td className="max-wide:hidden">{day.succeeded + day.failed === 0 ? null : <DayBars day={day} />}</td>
      <td className="num max-desk:hidden">
        <span className={day.succeeded === 0 ? 'none' : undefined}>{day.succeeded.toLocaleString(texts.locale)}</span>
      </td>
      <td className="num max-desk:hidden">
        <AboutMs ms={day.median_ms} />
      </td>
      <td data-card="end" className="num max-card:pl-3">
        <Pending webhook={webhook} /> <small className="card:hidden">{words.day.isWaiting}</small>
      </td>
    </tr>
  );
};

export const WebhookTable = ({ webhooks }: { webhooks: readonly Webhook[] | undefined }) => (
  <>
    <Table
      caption={words.caption}
      columns={[
        columns.url,
        columns.events,
        columns.status,
        { name: columns.day, className: 'max-wide:hidden' },
        { number: columns.delivered, className: 'max-desk:hidden' },
        { number: columns.median, className: 'max-desk:hidden' },
        { number: columns.pending },
      ]}
      items={webhooks}
      expected={2}
    >
      {(webhook) => <Row key={webhook.id} webhook={webhook} />}
    </Table>
    <ZoneNote />
  </>
);
