import type { Alert, AlertChannel } from '@berth/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { useAlertChannels, useAlertRules, useAlerts } from '../../data/alerts.ts';
import { CursorPager } from '../../parts/cursor-pager.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Select } from '../../parts/field.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
import { Table } from '../../parts/table.tsx';
import { Time, toSpan } from '../../parts/time.tsx';
import { ZoneNote } from '../../parts/zone.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { toTitle } from './incident.tsx';
import type { AlertsSearch } from './search.ts';

const words = pageTexts.alerts;
const { columns } = words.resolved;

/** Each channel once, and whether all of its messages were taken. */
const SentTo = ({ alert, channels = [] }: { alert: Alert; channels: readonly AlertChannel[] | undefined }) => {
  const ids = [...new Set(alert.messages.map(({ channel_id: id }) => id))];
  if (ids.length === 0) return <span className="none">{words.rules.onlyHere}</span>;
  return ids.map((id, index) => {
    const name = channels.find((channel) => channel.id === id)?.name ?? words.life.gone;
    const hasFailed = alert.messages.some(({ channel_id: of, ok }) => of === id && ok === false);
    return (
      <span key={id}>
        {index === 0 ? '' : ', '}
        <bdi>{name}</bdi>
        {hasFailed ? <span className="text-bad"> {words.life.failed}</span> : null}
      </span>
    );
  });
};

const Row = ({ alert, channels }: { alert: Alert; channels: readonly AlertChannel[] | undefined }) => {
  const { opened_at: openedAt, resolved_at: resolvedAt, acknowledged_at: acknowledgedAt, subject } = alert;
  return (
    <tr>
      <td data-card="below" className="num">
        <Time at={openedAt} as="moment" />
      </td>
      <td data-card="name" className="wide">
        <span className="row-name">
          <b>{toTitle(alert)}</b>
          <small className="truncate font-text">
            <bdi>{subject.reason}</bdi>
          </small>
        </span>
      </td>
      <td data-card="end" className="num">
        {resolvedAt === null ? null : toSpan(Date.parse(resolvedAt) - Date.parse(openedAt))}
      </td>
      <td data-card="below" className="whitespace-normal">
        <SentTo alert={alert} channels={channels} />
      </td>
      <td className="num max-desk:hidden">
        {acknowledgedAt === null ? (
          <span className="none">{words.resolved.no}</span>
        ) : (
          <Time at={acknowledgedAt} as="moment" />
        )}
      </td>
    </tr>
  );
};

/** Shows the alerts of one rule, or of all. */
const RuleFilter = ({ rule, onChoose }: { rule: string | undefined; onChoose: (rule: string | undefined) => void }) => {
  const { data: rules = [] } = useAlertRules();
  return (
    <div className="mb-3 max-w-80">
      <Select
        label={words.resolved.filter}
        value={rule ?? ''}
        onChange={({ target }) => onChoose(target.value || undefined)}
      >
        <option value="">{words.resolved.allRules}</option>
        {rules.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
    </div>
  );
};

/** What is over. */
export const ResolvedTab = () => {
  const { after, rule } = useSearch({ from: '/in/alerts' });
  const navigate = useNavigate({ from: '/alerts' });
  const go = (search: AlertsSearch): void => void navigate({ search: { tab: 'resolved', ...search } });
  const { data, error, refetch } = useAlerts({ status: 'resolved', rule_id: rule, after });
  const { data: channels } = useAlertChannels();
  return (
    <>
      <RuleFilter rule={rule} onChoose={(next) => go(next === undefined ? {} : { rule: next })} />
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {error !== null && data === undefined ? null : (
        <Sheet>
          {data?.data.length === 0 ? (
            <EmptyState
              icon={<History aria-hidden="true" />}
              title={rule === undefined ? words.resolved.none : words.resolved.noneOfRule}
            >
              {words.resolved.noneText}
            </EmptyState>
          ) : (
            <>
              <Table
                caption={words.resolved.caption}
                columns={[
                  { number: columns.opened },
                  columns.alert,
                  { number: columns.lasted },
                  columns.sent,
                  { number: columns.acknowledged },
                ]}
                items={data?.data}
                expected={5}
              >
                {(alert) => <Row key={alert.id} alert={alert} channels={channels} />}
              </Table>
              <ZoneNote />
            </>
          )}
        </Sheet>
      )}
      <CursorPager
        isFirst={after === undefined}
        next={data?.pagination.next_cursor ?? null}
        onGo={(next) => go({ ...(rule === undefined ? {} : { rule }), ...(next === undefined ? {} : { after: next }) })}
      />
    </>
  );
};
