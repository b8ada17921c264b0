import { Link } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { useMemo } from 'react';
import { Button } from '../../../parts/button.tsx';
import { useNow } from '../../../parts/clock.ts';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { Shape } from '../../../parts/status-mark.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { Time } from '../../../parts/time.tsx';
import { zoneName } from '../../../parts/zone.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { texts } from '../../../texts/texts.ts';
import { useAddress } from '../address.ts';
import { toDays, type Day, type Entry } from './entries.ts';
import { MAX_ENTRIES, useHistory } from './history-data.ts';

const words = pageTexts.terminalHistory;
const MINUTE_MS = 60_000;
const longDay = new Intl.DateTimeFormat(texts.locale, { weekday: 'long', day: 'numeric', month: 'long' });

const Row = ({ entry }: { entry: Entry }) => {
  const { change } = useAddress();
  const { at, tone, sentence, detail, taskId, breachId, times } = entry;
  const [before, bold, after] = sentence;
  return (
    <li className="history-row" data-tone={tone}>
      <Time at={at} as="second" />
      <Shape tone={tone} />
      <div className="min-w-0">
        <p>
          {before}
          <b>{bold}</b>
          {after}
          {times === 1 ? null : <small className="text-ink-3"> {words.times(times)}</small>}
        </p>
        {detail ? (
          <p className="history-detail">
            <bdi className="clamp">{detail}</bdi>
          </p>
        ) : null}
      </div>
      {taskId === undefined ? null : (
        <button type="button" className="link" onClick={() => change({ tab: undefined, task: taskId })}>
          {words.task}
        </button>
      )}
      {breachId === undefined ? null : (
        <Link to="/risk/breaches/$id" params={{ id: breachId }} className="link">
          {words.breach}
        </Link>
      )}
    </li>
  );
};

const DayCard = ({ day: { at, entries }, now }: { day: Day; now: number }) => {
  const date = longDay.format(Date.parse(at));
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  const name = isToday ? `${words.today}, ${date}` : date;
  return (
    <section className="history-day" aria-label={words.label(name)}>
      <h2>{name}</h2>
      <Card>
        <ol>
          {entries.map((entry) => (
            <Row key={entry.id} entry={entry} />
          ))}
        </ol>
      </Card>
    </section>
  );
};

const Empty = () => (
  <Card>
    <EmptyState icon={<History aria-hidden="true" />} title={words.empty}>
      {words.emptyText}
    </EmptyState>
  </Card>
);

/** What happened to the terminal, newest first, by day; older entries on demand. */
export const HistoryTab = ({ terminalId }: { terminalId: string }) => {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useHistory(terminalId);
  const now = useNow(MINUTE_MS);
  const days = useMemo(() => toDays(data?.pages.flatMap(({ events }) => events) ?? []), [data]);
  if (data === undefined) {
    if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
    return <Skeleton className="h-60 w-full" />;
  }
  const isCut = !hasNextPage && data.pages.at(-1)?.next !== null;
  return (
    <div className="history">
      <p className="text-ink-3">{words.note(zoneName)}</p>
      {days.length === 0 && !hasNextPage ? <Empty /> : null}
      {days.map((day) => (
        <DayCard key={day.entries.at(-1)?.id} day={day} now={now} />
      ))}
      {error === null ? null : <Failure error={error} onRetry={() => void fetchNextPage()} />}
      {hasNextPage ? (
        <div>
          <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {words.more}
          </Button>
        </div>
      ) : days.length === 0 ? null : (
        <p className="text-ink-3">{isCut ? words.cut(MAX_ENTRIES) : words.end}</p>
      )}
    </div>
  );
};
