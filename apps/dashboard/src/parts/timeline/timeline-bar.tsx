import type { TaskMove } from '@berth/client';
import { isFinalTaskStatus } from '@berth/contract/values';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import { useNow } from '../clock.ts';
import { toBars, toDurationMs, toJoined, toSpans, type Span, type TimedTask } from './spans.ts';

const words = pageTexts.taskWords;

/** The name of a span. */
export const toSpanName = ({ kind, step, attempt }: Span): string => {
  if (step !== undefined) return words.step(step);
  if (kind === 'wait') return words.waited;
  if (kind === 'hand') return words.sentToHost;
  return kind === 'lost' ? words.lostAttempt(attempt ?? 0) : words.worked;
};

/** "0.2 s", "3.1 s", "2 min 10 s", "3 h 5 min". */
export const toLength = (ms: number): string => {
  const { seconds, minutes, hours } = texts.time;
  if (ms < 10_000)
    return `${(Math.max(0, ms) / 1000).toLocaleString(texts.locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })}\u00a0s`;
  const whole = Math.round(ms / 1000);
  if (whole < 60) return seconds(whole);
  if (whole < 3600) return `${minutes(Math.floor(whole / 60))} ${seconds(whole % 60)}`;
  return `${hours(Math.floor(whole / 3600))} ${minutes(Math.floor((whole % 3600) / 60))}`;
};

export interface TimelineBarProps {
  task: TimedTask;
  /** Its history, if loaded: then the times are exact. */
  moves?: readonly TaskMove[] | undefined;
  /** What the whole width stands for, where several are compared. */
  scaleMs?: number | undefined;
}

/** A task as one line of bars; long waits are shortened. Also as text, for people who cannot see it. */
export const TimelineBar = ({ task, moves, scaleMs }: TimelineBarProps) => {
  // A task that has ended no longer changes: it is not rendered each second.
  const now = useNow(isFinalTaskStatus(task.status) ? 60_000 : 1_000);
  const spans = toSpans(task, now, moves);
  const label = toJoined(spans)
    .map((span) => words.span(toSpanName(span), toLength(span.to - span.from)))
    .join(', ');
  return (
    <svg className="timeline" role="img" aria-label={words.timeline(label)}>
      {toBars(spans, scaleMs).map(({ span, x, width, isFolded }, index) => (
        <g key={index}>
          <rect
            data-kind={span.kind}
            x={`${x}%`}
            y={span.kind === 'wait' ? 7 : 3}
            width={`${Math.max(0.3, width - 0.25)}%`}
            height={span.kind === 'wait' ? 4 : 12}
            rx={2}
          >
            <title>{words.span(toSpanName(span), toLength(span.to - span.from))}</title>
          </rect>
          {isFolded ? (
            <g data-fold="">
              <line x1={`${x + width / 2}%`} x2={`${x + width / 2 + 0.6}%`} y1={14} y2={4} />
              <line x1={`${x + width / 2 + 0.8}%`} x2={`${x + width / 2 + 1.4}%`} y1={14} y2={4} />
            </g>
          ) : null}
        </g>
      ))}
    </svg>
  );
};

/** The kinds of bars, with their colours. */
export const TimelineLegend = () => (
  <ul className="timeline-legend" aria-label={words.legend}>
    {(['wait', 'work', 'lost', 'fail'] as const).map((kind) => (
      <li key={kind}>
        <i data-kind={kind} /> {words.legendKinds[kind]}
      </li>
    ))}
    <li>
      <i data-kind="wait" data-folded="" /> {words.folded}
    </li>
  </ul>
);

/** How long a task took, or has been taking. */
export const TaskDuration = ({ task }: { task: TimedTask & { planned_at: string | null } }) => {
  const now = useNow(isFinalTaskStatus(task.status) ? 60_000 : 1_000);
  return <span className="figure">{toLength(toDurationMs(toSpans(task, now), task.planned_at))}</span>;
};
