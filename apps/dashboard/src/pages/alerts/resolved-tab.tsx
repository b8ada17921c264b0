import type { Alert, AlertChannel } from '@berth/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { useAlertChannels, useAlertRules, useAlerts } from '../../data/alerts.ts';
import { useNow } from '../../parts/clock.ts';
import { CursorPager } from '../../parts/cursor-pager.tsx';
import { Select } from '../../parts/field.tsx';
import { Listing } from '../../parts/listing.tsx';
import { NameCell } from '../../parts/name-cell.tsx';
import { Table } from '../../parts/table.tsx';
import { Time, toSpan } from '../../parts/time.tsx';
import { ZoneNote } from '../../parts/zone.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { toTitle } from './incident.tsx';
import { periods, type AlertsSearch, type Period } from './search.ts';

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
      <NameCell note={subject.reason}>{toTitle(alert)}</NameCell>
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

const HOUR_MS = 3_600_000;
const hoursOf: Record<Exclude<Period, 'all'>, number> = { day: 24, week: 7 * 24, month: 30 * 24 };

/** @param hour in which it is asked: the list is of the same time for an hour. @returns undefined: all are shown */
const toSince = (period: Period, hour: number): string | undefined =>
  period === 'all' ? undefined : new Date(hour - hoursOf[period] * HOUR_MS).toISOString();

interface Filter {
  /** Id of a rule; none, or an empty text: all. */
  rule: string | undefined;
  within: Period | undefined;
}

/** The filter in the address, without what is usual. */
const toSearch = ({ rule, within = 'month' }: Filter): AlertsSearch => ({
  ...(rule ? { rule } : {}),
  ...(within === 'month' ? {} : { within }),
});

/** Of which rule, and since when. */
const Filters = ({ filter, onChoose }: { filter: Filter; onChoose: (filter: Filter) => void }) => {
  const { rule, within } = filter;
  const { data: rules = [] } = useAlertRules();
  return (
    <div className="mb-3 grid max-w-[560px] grid-cols-2 gap-3">
      <Select
        label={words.resolved.filter}
        value={rule ?? ''}
        onChange={({ target }) => onChoose({ rule: target.value, within })}
      >
        <option value="">{words.resolved.allRules}</option>
        {rules.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      <Select
        label={words.resolved.within}
        value={within}
        onChange={({ target }) => onChoose({ rule, within: periods.find((period) => period === target.value) })}
      >
        {periods.map((period) => (
          <option key={period} value={period}>
            {words.resolved.periods[period]}
          </option>
        ))}
      </Select>
    </div>
  );
};

/** What is over. */
export const ResolvedTab = () => {
  const { after, rule, within = 'month' } = useSearch({ from: '/in/alerts' });
  const filter: Filter = { rule, within };
  const hour = useNow(HOUR_MS);
  const navigate = useNavigate({ from: '/alerts' });
  const go = (search: AlertsSearch): void => void navigate({ search: { tab: 'resolved', ...search } });
  const alerts = useAlerts({
    status: 'resolved',
    rule_id: rule,
    resolved_since: toSince(within, hour),
    after,
  });
  const { data: channels } = useAlertChannels();
  return (
    <>
      <Filters filter={filter} onChoose={(next) => go(toSearch(next))} />
      <Listing
        reading={alerts}
        empty={{
          icon: <History aria-hidden="true" />,
          title: rule === undefined ? words.resolved.none : words.resolved.noneOfRule,
          children: words.resolved.noneText(words.resolved.periods[within]),
        }}
      >
        <Table
          caption={words.resolved.caption}
          columns={[
            { number: columns.opened },
            columns.alert,
            { number: columns.lasted },
            columns.sent,
            { number: columns.acknowledged },
          ]}
          items={alerts.data?.data}
          expected={5}
        >
          {(alert) => <Row key={alert.id} alert={alert} channels={channels} />}
        </Table>
        <ZoneNote />
      </Listing>
      <CursorPager
        isFirst={after === undefined}
        next={alerts.data?.pagination.next_cursor ?? null}
        onGo={(next) => go({ ...toSearch(filter), ...(next === undefined ? {} : { after: next }) })}
      />
    </>
  );
};
