/**
 * Carries out a breach: experts away, close everything, then switch algo trading off; lock and notify are the server's,
 * which learns that it is their turn. Each finished action is in the record before the next one begins, so that a breach
 * goes on where it was after a crash. Closing is repeated until nothing is left: after a crash in the middle it finds the
 * rest.
 */
import type { LeftOpen, ReportedBreach } from '@berth/contract/agent';
import {
  MAX_LEFT_OPEN,
  riskActions,
  toBoundedLine,
  type HostEvidenceKind,
  type RiskAction,
} from '@berth/contract/values';
import type { Timing } from '@berth/kit';
import { toOutcome } from './evidence/bodies.ts';
import { hasLetGo, holdBreach, noteAction, type GuardBreach } from './guard-breach.ts';

/** One round of closing. */
export interface CloseResult {
  closed: number;
  leftOpen: LeftOpen[];
  /** Whether the account was read again, and nothing was open or pending. */
  isEmpty: boolean;
  /** Of the state that showed it. */
  sequence: number;
  /** Orders were refused because algo trading is off in the terminal. */
  isSwitchedOff: boolean;
  /** All that is left waits for its session to open. */
  isSessionClosed: boolean;
}

/** A command to close something, and what was answered. */
export interface AnsweredRequest {
  action: string;
  ticket: string;
  /** Null: the command could not be sent. */
  retcode: number | null;
  message: string;
  order: string | null;
  deal: string | null;
  /** From its sending to its answer. */
  ms: number;
}

/** What the guard does to a terminal. Each call rejects when it could not be done. */
export interface RiskActions {
  /**
   * Asks the link program to save and close the charts with experts. @returns how many it found: they are gone a moment
   * later, so 0 says that none is left; undefined: this program cannot
   */
  takeExpertsAway(terminalId: string, signal: AbortSignal): Promise<number | undefined>;
  /**
   * Closes all positions and deletes all orders.
   * @param onOrder is called before each order is sent
   * @param onAnswer is called with each of them, and its answer
   */
  closeAll(
    terminalId: string,
    onOrder: () => void,
    signal: AbortSignal,
    onAnswer?: (request: AnsweredRequest) => void,
  ): Promise<CloseResult>;
  switchTrading(terminalId: string, isOn: boolean, signal: AbortSignal): Promise<void>;
}

export interface BreachOptions {
  actions: RiskActions;
  /** The record has changed. Resolves when it is on the disk. */
  save: () => Promise<void>;
  timing: Timing;
  /** By a clock that nobody sets. */
  elapsedMs: () => number;
  /** When it was decided, by that clock; undefined after a restart. */
  decidedAtMs: number | undefined;
  /** Writes down what was done. Nothing waits for it. */
  note: (kind: HostEvidenceKind, body: object) => void;
}

/** Rounds of closing; with their pauses some two minutes. What is open then is said, and tried again while it is held. */
const CLOSE_ROUNDS = 20;
const SWITCH_TRIES = 5;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 8_000;
/** Between two looks that show nothing: what was on its way to the broker has arrived by then. */
const LOOK_AGAIN_MS = 1_000;

const toPauseMs = (round: number): number => Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** round);
const toMessage = (error: unknown): string =>
  toBoundedLine(error instanceof Error ? error.message : String(error), 500) || 'It failed without a reason.';

const NO_REMOVAL = 'The link program in the terminal cannot take experts away.';

/** @returns whether it is known that no expert is left */
const takeExpertsAway = async (
  { report }: GuardBreach,
  { actions, note }: BreachOptions,
  signal: AbortSignal,
): Promise<boolean> => {
  const experts = (report.experts ??= { removed: 0, message: null });
  try {
    const found = await actions.takeExpertsAway(report.terminal_id, signal);
    experts.removed += found ?? 0;
    experts.message = found === undefined ? NO_REMOVAL : found > 0 ? 'Their charts are being closed.' : null;
    note('experts', { found: found ?? null, message: experts.message });
    return found === 0;
  } catch (error) {
    experts.message = toMessage(error);
    note('experts', { found: null, message: experts.message });
    return false;
  }
};

/** What one attempt to close has seen so far. */
interface Attempt {
  round: number;
  /** Rounds one after another in which nothing was closed: each is followed by a longer pause. */
  idle: number;
  failure: string;
  /** The first of the looks that showed nothing. */
  emptied: { atMs: number; sequence: number } | undefined;
  areExpertsAway: boolean;
  switches: number;
}

const switchTrading = async (
  { report }: GuardBreach,
  { actions, elapsedMs, note }: BreachOptions,
  isOn: boolean,
  signal: AbortSignal,
): Promise<void> => {
  const begunMs = elapsedMs();
  let message: string | null = null;
  try {
    await actions.switchTrading(report.terminal_id, isOn, signal);
  } catch (error) {
    message = toMessage(error);
    throw error;
  } finally {
    note('switch', { is_on: isOn, ok: message === null, message, ms: Math.round(elapsedMs() - begunMs) });
  }
};

/** On the disk first: whoever goes on after a crash has to switch it off again. */
const switchOn = async (breach: GuardBreach, options: BreachOptions, signal: AbortSignal): Promise<void> => {
  breach.isSwitchedOn = true;
  await options.save();
  await switchTrading(breach, options, true, signal);
};

/** @returns null: nothing is open; a text: it is given up for now; undefined: another round */
const closeOnce = async (
  breach: GuardBreach,
  attempt: Attempt,
  options: BreachOptions,
  signal: AbortSignal,
): Promise<string | null | undefined> => {
  const { report } = breach;
  const { actions, elapsedMs, decidedAtMs, note } = options;
  const onOrder = () => {
    if (report.first_order_ms === null && decidedAtMs !== undefined)
      report.first_order_ms = Math.max(0, Math.round(elapsedMs() - decidedAtMs));
  };
  if (!attempt.areExpertsAway) attempt.areExpertsAway = await takeExpertsAway(breach, options, signal);
  if (hasLetGo(breach)) return undefined;
  const onAnswer = (request: AnsweredRequest) => note('request', { ...request });
  const result = await actions.closeAll(report.terminal_id, onOrder, signal, onAnswer);
  report.closed += result.closed;
  report.left_open = result.leftOpen.slice(0, MAX_LEFT_OPEN);
  report.total = Math.max(report.total, report.closed + result.leftOpen.length);
  if (result.isEmpty) {
    const { emptied } = attempt;
    const { sequence } = result;
    if (emptied && sequence > emptied.sequence && elapsedMs() - emptied.atMs >= LOOK_AGAIN_MS) return null;
    attempt.emptied ??= { atMs: elapsedMs(), sequence };
    return undefined;
  }
  attempt.emptied = undefined;
  attempt.round += 1;
  attempt.idle = result.closed > 0 ? 0 : attempt.idle + 1;
  attempt.failure = result.leftOpen[0]?.message ?? attempt.failure;
  if (result.isSessionClosed) return attempt.failure;
  const canSwitch = attempt.areExpertsAway && attempt.switches < SWITCH_TRIES && !hasLetGo(breach);
  if (result.isSwitchedOff && canSwitch) {
    attempt.switches += 1;
    await switchOn(breach, options, signal);
  }
  return undefined;
};

const closeEverything = async (
  breach: GuardBreach,
  options: BreachOptions,
  signal: AbortSignal,
): Promise<string | null> => {
  const attempt: Attempt = {
    ...{ round: 0, idle: 0, failure: 'Something is still open.', emptied: undefined },
    ...{ areExpertsAway: false, switches: 0 },
  };
  while (attempt.round < CLOSE_ROUNDS && !signal.aborted && !hasLetGo(breach)) {
    try {
      const outcome = await closeOnce(breach, attempt, options, signal);
      if (outcome !== undefined) return outcome;
    } catch (error) {
      attempt.round += 1;
      attempt.idle += 1;
      attempt.failure = toMessage(error);
      // Nothing was open, and nobody can look again: what follows must not wait for that.
      if (attempt.emptied) return attempt.failure;
    }
    if (signal.aborted) break;
    await options.save();
    await options.timing.sleep(attempt.emptied ? LOOK_AGAIN_MS : toPauseMs(attempt.idle), signal);
  }
  return attempt.failure;
};

const switchOff = async (breach: GuardBreach, options: BreachOptions, signal: AbortSignal): Promise<string | null> => {
  let failure = '';
  for (let round = 0; round < SWITCH_TRIES && !signal.aborted; round += 1) {
    try {
      await switchTrading(breach, options, false, signal);
      delete breach.isSwitchedOn;
      return null;
    } catch (error) {
      failure = toMessage(error);
    }
    await options.timing.sleep(toPauseMs(round), signal);
  }
  return failure;
};

/** Closes, and leaves the switch of algo trading as it was found, unless it is to be off anyway. */
const close = async (breach: GuardBreach, options: BreachOptions, signal: AbortSignal): Promise<string | null> => {
  const message = await closeEverything(breach, options, signal);
  if (signal.aborted || !breach.isSwitchedOn || breach.actions.includes('trading_off')) return message;
  const failure = await switchOff(breach, options, signal);
  return message ?? failure;
};

/** What a host does for each action; nothing for those of the server. */
const runAction = (action: RiskAction, breach: GuardBreach, options: BreachOptions, signal: AbortSignal) => {
  if (action === 'close_all') return close(breach, options, signal);
  return action === 'trading_off' ? switchOff(breach, options, signal) : Promise.resolve(null);
};

/** @returns whether it was carried out, or given up */
const act = async (
  action: RiskAction,
  breach: GuardBreach,
  options: BreachOptions,
  signal: AbortSignal,
): Promise<boolean> => {
  const message = await runAction(action, breach, options, signal);
  if (message !== null && (signal.aborted || hasLetGo(breach))) return false;
  noteAction(breach.report, { action, message, at: options.timing.clock.now() });
  const outcome = action === 'close_all' ? toOutcome(breach.report) : {};
  options.note('action', { action, ok: message === null, message, ...outcome });
  await options.save();
  return !signal.aborted;
};

const isDone = ({ actions }: ReportedBreach, action: RiskAction): boolean =>
  actions.some((done) => done.action === action);

/** Carries out what is left of a breach. Returns early when the signal aborts: the breach then goes on another time. */
export const carryOutBreach = async (
  breach: GuardBreach,
  options: BreachOptions,
  signal: AbortSignal,
): Promise<void> => {
  const { report } = breach;
  for (const action of riskActions) {
    if (!breach.actions.includes(action) || isDone(report, action)) continue;
    if (!(await act(action, breach, options, signal))) return;
  }
  holdBreach(breach);
  await options.save();
};

/** Closes what was opened while a breach is held, and leaves it held. */
export const closeAgain = async (breach: GuardBreach, options: BreachOptions, signal: AbortSignal): Promise<void> => {
  for (const action of ['close_all', 'trading_off'] as const) {
    if (breach.actions.includes(action) && !(await act(action, breach, options, signal))) return;
  }
};
