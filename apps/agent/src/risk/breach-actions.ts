/**
 * Carries out a breach: close everything, then switch algo trading off; lock and notify are the server's, which learns
 * that it is their turn. Each finished action is in the record before the next one begins, so that a breach goes on where
 * it was after a crash. Closing is repeated until nothing is left: after a crash in the middle it finds the rest.
 */
import type { LeftOpen, ReportedBreach } from '@berth/contract/agent';
import { MAX_LEFT_OPEN, riskActions, toBoundedLine, type RiskAction } from '@berth/contract/values';
import type { Timing } from '@berth/kit';
import type { GuardBreach } from './guarded-terminal.ts';

/** One round of closing. */
export interface CloseResult {
  closed: number;
  leftOpen: LeftOpen[];
  /** Whether the account was read again, and nothing was open. */
  isEmpty: boolean;
}

/** What the guard does to a terminal. Each call rejects when it could not be done. */
export interface RiskActions {
  /** Closes all positions and deletes all orders. @param onOrder is called before each order is sent */
  closeAll(terminalId: string, onOrder: () => void, signal: AbortSignal): Promise<CloseResult>;
  switchTradingOff(terminalId: string, signal: AbortSignal): Promise<void>;
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
}

/** Rounds of closing; with their pauses some two minutes. What is open then is said, and left. */
const CLOSE_ROUNDS = 20;
const SWITCH_TRIES = 5;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 8_000;

const toPauseMs = (round: number): number => Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** round);
const toMessage = (error: unknown): string =>
  toBoundedLine(error instanceof Error ? error.message : String(error), 500) || 'It failed without a reason.';

const closeEverything = async (
  { report }: GuardBreach,
  { actions, save, timing, elapsedMs, decidedAtMs }: BreachOptions,
  signal: AbortSignal,
): Promise<string | null> => {
  const onOrder = () => {
    if (report.first_order_ms === null && decidedAtMs !== undefined)
      report.first_order_ms = Math.max(0, Math.round(elapsedMs() - decidedAtMs));
  };
  let failure = 'Something is still open.';
  for (let round = 0; round < CLOSE_ROUNDS && !signal.aborted; round += 1) {
    try {
      const { closed, leftOpen, isEmpty } = await actions.closeAll(report.terminal_id, onOrder, signal);
      report.closed += closed;
      report.left_open = leftOpen.slice(0, MAX_LEFT_OPEN);
      report.total = Math.max(report.total, report.closed + leftOpen.length);
      if (isEmpty) return null;
      failure = leftOpen[0]?.message ?? failure;
    } catch (error) {
      failure = toMessage(error);
    }
    if (signal.aborted) break;
    await save();
    await timing.sleep(toPauseMs(round), signal);
  }
  return failure;
};

const switchOff = async (
  { report }: GuardBreach,
  { actions, timing }: BreachOptions,
  signal: AbortSignal,
): Promise<string | null> => {
  let failure = '';
  for (let round = 0; round < SWITCH_TRIES && !signal.aborted; round += 1) {
    try {
      await actions.switchTradingOff(report.terminal_id, signal);
      return null;
    } catch (error) {
      failure = toMessage(error);
    }
    await timing.sleep(toPauseMs(round), signal);
  }
  return failure;
};

/** What a host does for each action; nothing for those of the server. */
const runAction = (action: RiskAction, breach: GuardBreach, options: BreachOptions, signal: AbortSignal) => {
  if (action === 'close_all') return closeEverything(breach, options, signal);
  return action === 'trading_off' ? switchOff(breach, options, signal) : Promise.resolve(null);
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
    const message = await runAction(action, breach, options, signal);
    if (signal.aborted && message !== null) return;
    report.actions.push({ action, ok: message === null, at: options.timing.clock.now(), message });
    await options.save();
    if (signal.aborted) return;
  }
  report.has_ended = true;
  await options.save();
};
