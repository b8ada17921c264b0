import type { Terminal } from '@berth/client';
import { ScrollText } from 'lucide-react';
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { Banner } from '../../../parts/banner.tsx';
import { Button } from '../../../parts/button.tsx';
import { Chips } from '../../../parts/chips.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { SearchField } from '../../../parts/search-field.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { toFailure } from '../../../parts/task/task-facts.ts';
import { Time } from '../../../parts/time.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { logSources, useLead } from '../../../data/lead.ts';
import { whyNotNow } from '../../../data/create-task.ts';
import { toRequest, useLogChoice, type LogRequest } from './log-choice.ts';
import { toMatching } from './log-lines.ts';
import { LogRows } from './log-rows.tsx';
import { useReadLog } from './read-log.ts';

const words = pageTexts.terminalLogs;

interface LogProps {
  terminal: Terminal;
  request: LogRequest;
  contains: string;
  onSearchDay: () => void;
}

/** This log has not been requested yet. */
const NotRead = ({ onRead, whyNot }: { onRead: () => void; whyNot: string | undefined }) => (
  <Card>
    <EmptyState
      icon={<ScrollText aria-hidden="true" />}
      title={words.notRead}
      action={
        <Button kind="primary" whyNot={whyNot} onClick={onRead}>
          {words.readNow}
        </Button>
      }
    >
      {words.notReadText}
    </EmptyState>
  </Card>
);

const NoLines = ({ contains, onSearchDay }: Pick<LogProps, 'contains' | 'onSearchDay'>) => (
  <Card>
    <EmptyState
      icon={<ScrollText aria-hidden="true" />}
      title={contains === '' ? words.none : words.noMatch}
      action={contains === '' ? undefined : <Button onClick={onSearchDay}>{words.searchDay}</Button>}
    >
      {contains === '' ? words.noneText : words.noMatchText}
    </EmptyState>
  </Card>
);

const EVERY_MS = 10_000;
const MAX_READINGS = 90;

/**
 * Reads a log repeatedly. Each read is a task, so it is infrequent, only while somebody looks at the end of the log,
 * and it stops by itself: at most 90 tasks each time it is turned on.
 */
const useFollow = (read: () => void, isAtEnd: boolean) => {
  const [left, setLeft] = useState(0);
  const isOn = left > 0;
  const next = useEffectEvent(() => {
    if (!isAtEnd || document.visibilityState === 'hidden') return;
    setLeft((count) => count - 1);
    read();
  });
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(next, EVERY_MS);
    return () => clearInterval(timer);
  }, [isOn]);
  const toggle = (): void => {
    setLeft(isOn ? 0 : MAX_READINGS);
    if (!isOn) read();
  };
  return { isOn, toggle };
};

const Log = ({ terminal, request, contains, onSearchDay }: LogProps) => {
  const whyNot = whyNotNow(terminal, 'EA_LOGS');
  const { task, failed, isReading, isFirst, read } = useReadLog(
    terminal.id,
    request,
    whyNot,
    request.contains !== undefined,
  );
  const place = useRef<HTMLDivElement>(null);
  useLead(request.source, () => {
    place.current?.scrollIntoView();
    place.current?.focus({ preventScroll: true });
    read();
  });
  const [isAtEnd, setAtEnd] = useState(true);
  const follow = useFollow(read, isAtEnd && whyNot === undefined);
  const { lines = [], truncated = false } = task?.result.runner_result.at(-1)?.data ?? {};
  const shown = useMemo(() => toMatching(lines, contains), [lines, contains]);
  const failure = failed && toFailure(failed);
  return (
    <section ref={place} tabIndex={-1} aria-label={words.sources[request.source]}>
      <div className="log-bar">
        <span className="figure text-ink-2">{task ? words.lines(shown.length, lines.length) : ''}</span>
        {task ? (
          <small>
            {words.readAt} <Time at={task.updated_at} />
          </small>
        ) : null}
        <span className="flex-1" />
        {contains !== '' && request.contains === undefined ? (
          <Button onClick={onSearchDay}>{words.searchDay}</Button>
        ) : null}
        <Button whyNot={whyNot} isBusy={isReading} onClick={read}>
          {isReading ? words.reading : task ? words.read : words.readNow}
        </Button>
        <Button whyNot={whyNot} aria-pressed={follow.isOn} title={words.followNote} onClick={follow.toggle}>
          {follow.isOn ? words.following : words.follow}
        </Button>
      </div>
      {failure ? (
        <Banner kind="failure">
          <bdi>{failure.message}</bdi> {failure.advice}
        </Banner>
      ) : null}
      {truncated ? <p className="field-note mb-2">{words.truncated}</p> : null}
      {isFirst ? <Skeleton className="log-place" /> : null}
      {!isFirst && shown.length > 0 ? <LogRows lines={shown} onEnd={setAtEnd} /> : null}
      {!isFirst && task === undefined && !failure ? <NotRead onRead={read} whyNot={whyNot} /> : null}
      {!isFirst && task !== undefined && shown.length === 0 && !failure ? (
        <NoLines contains={contains} onSearchDay={onSearchDay} />
      ) : null}
    </section>
  );
};

/** The logs of the terminal and its experts, by log, day and text. */
export const LogsTab = ({ terminal }: { terminal: Terminal }) => {
  const { source, day, contains, setSource, setDay, change } = useLogChoice();
  /** The text of the last request: it applies as long as it is the one in the field. */
  const [asked, setAsked] = useState<string>();
  const request = toRequest(source, day, asked === contains ? contains : undefined);
  const onSearch = useCallback(
    (text: string) => change({ contains: text === '' ? undefined : text }, { replace: true }),
    [change],
  );
  return (
    <>
      <div className="log-bar">
        <Chips label={words.source} values={logSources} chosen={source} onChoose={setSource}>
          {(name) => words.sources[name]}
        </Chips>
        <input
          className="input log-day"
          data-compact=""
          type="date"
          aria-label={words.day}
          value={day ?? ''}
          onChange={({ target: { value } }) => setDay(value === '' ? undefined : value)}
        />
        {day === undefined ? null : (
          <Button kind="bare" onClick={() => setDay(undefined)}>
            {words.today}
          </Button>
        )}
        <SearchField label={words.filter} value={contains} onSearch={onSearch} />
      </div>
      <Log
        key={JSON.stringify(request)}
        terminal={terminal}
        request={request}
        contains={contains}
        onSearchDay={() => setAsked(contains)}
      />
    </>
  );
};
