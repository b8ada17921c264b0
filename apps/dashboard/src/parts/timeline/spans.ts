/**
 * A task as spans of time: waiting, being sent to a host, each step, and attempts that were lost. Status changes have
 * the service's time, steps the host's: where the two differ, the steps are shifted so that the last one ends when the
 * service received the end.
 */
import { isFinalTaskStatus, TaskStatus } from '@berth/contract/values';
import type { Task, TaskMove } from '@berth/client';

export type SpanKind = 'wait' | 'hand' | 'work' | 'fail' | 'lost';

export interface Span {
  kind: SpanKind;
  /** The step's name as reported by its host; undefined for waiting and sending. */
  step?: string;
  /** The attempt that was lost. */
  attempt?: number;
  /** Unix milliseconds. */
  from: number;
  to: number;
}

/** The required parts of a task. */
export interface TimedTask extends Pick<
  Task,
  'status' | 'created_at' | 'updated_at' | 'delivered_at' | 'started_at' | 'finished_at' | 'attempts'
> {
  result: { runner_result: readonly { step: string; ok: boolean; at: string }[] };
}

interface Mark {
  status: TaskStatus;
  at: number;
  attempt: number;
}

const toMs = (seconds: number | null, least: number): number | undefined =>
  seconds === null ? undefined : Math.max(seconds * 1000, least);

/** Status changes as far as the task itself shows them: exact to a second, and only those of the last attempt. */
const toOwnMarks = (task: TimedTask): Mark[] => {
  const created = Date.parse(task.created_at);
  const delivered = toMs(task.delivered_at, created);
  const started = toMs(task.started_at, delivered ?? created);
  const marks: Mark[] = [{ status: TaskStatus.PENDING, at: created, attempt: 0 }];
  if (delivered !== undefined) marks.push({ status: TaskStatus.DELIVERED, at: delivered, attempt: task.attempts });
  if (started !== undefined) marks.push({ status: TaskStatus.RUNNING, at: started, attempt: task.attempts });
  if (isFinalTaskStatus(task.status)) {
    const end = Math.max(Date.parse(task.updated_at), marks.at(-1)?.at ?? 0);
    // Later changes of the row do not move the end by more than the second in which it was reported.
    const reported = task.finished_at === null ? end : Math.min(end, task.finished_at * 1000 + 999);
    marks.push({ status: task.status, at: Math.max(reported, marks.at(-1)?.at ?? 0), attempt: task.attempts });
  }
  return marks;
};

const toMarks = (moves: readonly TaskMove[]): Mark[] =>
  moves.map(({ to, at, attempt }) => ({ status: to, at: Date.parse(at), attempt }));

const toStepSpans = (task: TimedTask, from: number, to: number): Span[] => {
  const steps = task.result.runner_result.map((step) => ({ ...step, ms: Date.parse(step.at) }));
  const last = steps.at(-1);
  const hasFailed = task.status === TaskStatus.FAILED || task.status === TaskStatus.TERMINATED;
  if (!last || steps.some(({ ms }) => Number.isNaN(ms))) return [{ kind: hasFailed ? 'fail' : 'work', from, to }];
  const isInside = steps.every(({ ms }) => ms >= from - 1_000 && ms <= to + 1_000);
  const shift = isInside ? 0 : to - last.ms;
  let begin = from;
  return steps.map(({ step, ok, ms }) => {
    const end = Math.min(to, Math.max(begin, ms + shift));
    const span: Span = { kind: ok ? 'work' : 'fail', step, from: begin, to: end };
    begin = end;
    return span;
  });
};

/**
 * The spans of a task, oldest first; the last one lasts until now while the task has not ended.
 * @param moves its history; without it they are exact to a second
 */
export const toSpans = (task: TimedTask, now: number, moves?: readonly TaskMove[]): Span[] => {
  const marks = moves === undefined || moves.length === 0 ? toOwnMarks(task) : toMarks(moves);
  return marks.flatMap((mark, index): Span[] => {
    if (isFinalTaskStatus(mark.status)) return [];
    const next = marks[index + 1];
    const [from, to] = [mark.at, next?.at ?? Math.max(now, mark.at)];
    if (mark.status === TaskStatus.PENDING || mark.status === TaskStatus.QUEUED) return [{ kind: 'wait', from, to }];
    if (next?.status === TaskStatus.QUEUED) return [{ kind: 'lost', attempt: mark.attempt, from, to }];
    if (mark.status === TaskStatus.DELIVERED) return [{ kind: 'hand', from, to }];
    if (next === undefined) return [{ kind: 'work', from, to }];
    return toStepSpans(task, from, to);
  });
};

/** Merges adjacent spans of the same kind without a step. */
export const toJoined = (spans: readonly Span[]): Span[] => {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last && last.kind === span.kind && span.kind === 'wait') last.to = span.to;
    else joined.push({ ...span });
  }
  return joined;
};

export interface Bar {
  span: Span;
  /** Percent of the whole. */
  x: number;
  width: number;
  /** A wait that is drawn shorter than it was, so that the work is visible. */
  isFolded: boolean;
}

const length = ({ from, to }: Pick<Span, 'from' | 'to'>): number => Math.max(0, to - from);

const toBusyMs = (spans: readonly Span[]): number =>
  spans.filter(({ kind }) => kind !== 'wait').reduce((sum, span) => sum + length(span), 0);

/** How long it took: from when it was due, waiting included, to its end or until now. */
export const toDurationMs = (spans: readonly Span[], plannedAt: string | null): number => {
  const [first, last] = [spans[0], spans.at(-1)];
  if (!first || !last) return 0;
  return length({ from: Math.max(first.from, plannedAt === null ? 0 : Date.parse(plannedAt)), to: last.to });
};

const LEAST_SCALE_MS = 10_000;
/** How much longer a common scale is than the longest work: room for waiting. */
const ROOM = 1.5;

/** What the whole width of a timeline stands for, so that several are on one scale: no work is shortened. */
export const toScaleMs = (lists: readonly (readonly Span[])[]): number =>
  Math.max(LEAST_SCALE_MS, ROOM * Math.max(0, ...lists.map(toBusyMs)));

/** Without a scale, waiting takes at most this share of the working time. */
const FOLD = 0.35;
const MIN_PERCENT = 0.8;

/**
 * The spans as bars of one line. Waits are shortened so that the work is visible.
 * @param scaleMs what the whole width stands for; undefined: the task alone fills it
 */
export const toBars = (spans: readonly Span[], scaleMs?: number): Bar[] => {
  const joined = toJoined(spans);
  const busy = toBusyMs(joined);
  const waits = joined.filter(({ kind }) => kind === 'wait').length;
  const own = busy > 0 ? busy * FOLD : Infinity;
  const limit = scaleMs === undefined ? own : Math.max(0, scaleMs - busy) / Math.max(1, waits);
  const drawn = joined.map((span) => ({
    span,
    isFolded: span.kind === 'wait' && length(span) > limit,
    size: span.kind === 'wait' ? Math.min(length(span), limit) : length(span),
  }));
  const total = scaleMs ?? (drawn.reduce((sum, { size }) => sum + size, 0) || 1);
  const widths = drawn.map(({ size }) => Math.max(MIN_PERCENT, (size / total) * 100));
  const sum = widths.reduce((all, width) => all + width, 0);
  const scale = 100 / Math.max(100, sum);
  let x = 0;
  return drawn.map(({ span, isFolded }, index) => {
    const width = (widths[index] ?? 0) * scale;
    const bar = { span, x, width, isFolded };
    x += width;
    return bar;
  });
};
