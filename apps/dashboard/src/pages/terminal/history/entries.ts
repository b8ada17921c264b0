/** The history of a terminal in sentences. Pure. */
import { TaskStatus, TaskType, toTaskStatusName, toTaskTypeName, toTerminalStatusName } from '@berth/contract/values';
import type { HistoryEvent } from '../../../data/live/history.ts';
import type { Tone } from '../../../parts/status-mark.tsx';
import { terminalTones, toTerminalState } from '../../../parts/terminal-status.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';

const words = pageTexts.terminalHistory;

type Of<Type extends HistoryEvent['type']> = Extract<HistoryEvent, { type: Type }>;

export interface Entry {
  id: number;
  at: string;
  tone: Tone;
  /** In three parts, of which the middle one says it. */
  sentence: readonly [string, string, string];
  /** Why, in the words of the host or of somebody else. */
  detail?: string | null;
  taskId?: string;
  breachId?: string;
  /** How often the same happened, one after the other. */
  times: number;
}

type Told = Pick<Entry, 'tone' | 'sentence' | 'detail' | 'taskId' | 'breachId'>;

const fromStatus = ({ data: { from, to, reason, exit, skipped } }: Of<'terminal.status_changed'>): Told => {
  const name = toTerminalStatusName(to);
  const state = toTerminalState(name, reason);
  const tone = terminalTones[name];
  const left = skipped ? words.skipped(skipped) : '';
  if (from === null) return { tone: 'rest', sentence: words.created };
  if (exit) return { tone, sentence: words.crash(exit), detail: left };
  // What the state says already is not said again.
  const isSaid = ['ACTIVE', 'STOPPED', 'LOGGED_OUT', 'RESTARTING', 'DESTROYING', 'DESTROYED'].includes(state);
  return {
    tone,
    sentence: words.states[state],
    detail: [isSaid ? '' : (reason ?? ''), left].filter(Boolean).join(' '),
  };
};

const RULE_ACTS_MS = 60_000;

const isSwitchTask = (event: HistoryEvent): event is Of<'task.finished'> =>
  event.type === 'task.finished' && event.data.type === TaskType.OPTIONS_AUTO_TRADE;

/** The task that turned it on or off: both were written in one moment. */
const findTask = ({ occurred_at: at }: HistoryEvent, events: readonly HistoryEvent[]): string | undefined =>
  events.filter(isSwitchTask).find(({ occurred_at: then }) => then === at)?.data.task_id;

/** Who did it, where the entries before it say so. */
const toActor = ({ occurred_at: at }: HistoryEvent, events: readonly HistoryEvent[]): string => {
  const breach = events.find((event): event is Of<'risk.breached'> => {
    const ms = Date.parse(at) - Date.parse(event.occurred_at);
    const isBefore = ms >= 0 && ms <= RULE_ACTS_MS;
    return event.type === 'risk.breached' && isBefore && event.data.actions.includes('trading_off');
  });
  return breach === undefined ? words.by.unknown : words.by.rule(breach.data.rule_name);
};

const isReason = (reason: string | null): reason is keyof typeof pageTexts.terminal.trading =>
  reason !== null && Object.hasOwn(pageTexts.terminal.trading, reason);

const fromSwitch = (event: Of<'trading.switched'>, events: readonly HistoryEvent[]): Told => {
  const { trading_allowed: isAllowed, trading_reason: reason } = event.data;
  const taskId = findTask(event, events);
  const by = taskId === undefined ? toActor(event, events) : words.by.task;
  const task = taskId === undefined ? {} : { taskId };
  if (isAllowed) return { tone: 'good', sentence: by === '' ? words.canTrade : words.turnedOn(by), ...task };
  if (reason === 'terminal_switch' || !isReason(reason))
    return { tone: 'rest', sentence: words.turnedOff(by), ...task };
  return { tone: 'bad', sentence: words.cannotTrade(pageTexts.terminal.trading[reason].remedy) };
};

const taskTones = { COMPLETED: 'good', FAILED: 'bad', CANCELED: 'rest', TERMINATED: 'bad' } as const;

const fromTask = ({ data: { type, status, task_id: taskId } }: Of<'task.finished'>): Told => {
  const name = pageTexts.taskWords.types[toTaskTypeName(type)];
  const end = toTaskStatusName(status) as keyof typeof taskTones;
  return { tone: taskTones[end], sentence: words.tasks[end](name), taskId };
};

const tell = (event: HistoryEvent, events: readonly HistoryEvent[]): Told => {
  switch (event.type) {
    case 'terminal.status_changed':
      return fromStatus(event);
    case 'terminal.other_account':
      return { tone: 'good', sentence: words.otherAccount(event.data.login, event.data.server_name) };
    case 'terminal.updated':
      return { tone: 'good', sentence: words.updated(event.data.from, event.data.to) };
    case 'trading.switched':
      return fromSwitch(event, events);
    case 'expert.failed': {
      const { name, symbol, period, line } = event.data;
      const sentence = words.expertFailed(name, [symbol, period].filter(Boolean).join(' '));
      return { tone: 'bad', sentence, detail: line };
    }
    case 'task.finished':
      return fromTask(event);
    case 'risk.warning': {
      const { warning, rule_name: rule } = event.data;
      return { tone: warning === 'sees_again' ? 'good' : 'wait', sentence: words.risk[warning](rule) };
    }
    case 'risk.breached': {
      const { rule_name: rule, value, limit, breach_id: breachId } = event.data;
      return { tone: 'bad', sentence: words.risk.breached(rule, value, limit), breachId };
    }
    case 'security.unlocked':
      return { tone: 'good', sentence: words.unlocked, detail: event.data.reason };
  }
};

/** Tasks that only look: those of a schedule would push everything else out of sight. */
const LOOKS: ReadonlySet<TaskType> = new Set([TaskType.SCREENSHOT, TaskType.SCREENSHOT_LATENCY, TaskType.EA_LOGS]);

const isLook = (event: HistoryEvent | undefined, type: TaskType): boolean =>
  event?.type === 'task.finished' && event.data.status === TaskStatus.COMPLETED && event.data.type === type;

const isSameLook = (event: HistoryEvent, before: HistoryEvent | undefined): boolean =>
  event.type === 'task.finished' &&
  LOOKS.has(event.data.type) &&
  isLook(event, event.data.type) &&
  isLook(before, event.data.type) &&
  new Date(event.occurred_at).toDateString() === new Date(before?.occurred_at ?? 0).toDateString();

export interface Day {
  /** ISO 8601, of its newest entry. */
  at: string;
  entries: Entry[];
}

/** The end of a task that turned algo trading on or off says less than the switch itself. */
const isSaidBySwitch = (event: HistoryEvent, events: readonly HistoryEvent[]): boolean =>
  isSwitchTask(event) &&
  event.data.status === TaskStatus.COMPLETED &&
  events.some(({ type, occurred_at: at }) => type === 'trading.switched' && at === event.occurred_at);

/**
 * The days of the reader's zone, and what happened on each.
 * @param all newest first
 */
export const toDays = (all: readonly HistoryEvent[]): Day[] => {
  const days: Day[] = [];
  const events = all.filter((event) => !isSaidBySwitch(event, all));
  for (const [index, event] of events.entries()) {
    const { id, occurred_at: at } = event;
    const day = days.at(-1);
    const last = day?.entries.at(-1);
    if (last && isSameLook(event, events[index - 1])) {
      last.times += 1;
      continue;
    }
    const entry = { id, at, times: 1, ...tell(event, all) };
    if (day && new Date(day.at).toDateString() === new Date(at).toDateString()) day.entries.push(entry);
    else days.push({ at, entries: [entry] });
  }
  return days;
};
