import { isDeepStrictEqual } from 'node:util';
import type { ProcessExit } from '@berth/contract/agent';
import { loginProblemTexts, NOT_RUNNING, TerminalStatus, type TradingState } from '@berth/contract/values';
import type { Observation } from '../../driver.ts';
import type { OpenDialog } from '../edition.ts';
import type { Obstacle } from '../step-failure.ts';
import { toSkippedText, type LoginState, type TerminalView } from './terminal-view.ts';
import { toDialogText } from './dialogs.ts';

/** What the login's state means for the user. Pure. */
export const toObservation = (login: LoginState): Observation => {
  switch (login.state) {
    case 'connecting':
      return { status: TerminalStatus.CONNECTING, reason: null };
    case 'in':
      return { status: TerminalStatus.ACTIVE, reason: null };
    case 'offline':
      return { status: TerminalStatus.DISCONNECTED, reason: login.reason };
    case 'elsewhere':
    case 'refused':
    case 'lacking':
    case 'silent':
      return { status: TerminalStatus.LOGIN_FAILED, reason: login.reason };
    case 'none':
      return {
        status: TerminalStatus.LOGIN_FAILED,
        reason: `${loginProblemTexts.no_account} Log in with the login, password and server.`,
      };
  }
};

/** What is known about an installed terminal. */
export interface TerminalFacts {
  path: string;
  isAlive: boolean;
  shouldRun: boolean;
  /** It was stopped by a task, not logged out. */
  isStopped: boolean;
  view: Pick<TerminalView, 'login' | 'build' | 'skippedBytes'>;
  trading: TradingState;
  /** The build that it stays on; null where it may follow the vendor's updates. */
  pinnedBuild: number | null;
  /** Unexpected dialogs in front of the running terminal. */
  dialogs: readonly OpenDialog[];
  /** How it ended, if nobody asked it to; undefined where it was stopped, or could not be started. */
  ended?: ProcessExit | undefined;
  /** The obstacle to the last start. */
  obstacle: Obstacle | undefined;
}

const toPassedPin = (build: number | null, pinnedBuild: number | null): string | null =>
  build !== null && pinnedBuild !== null && build > pinnedBuild
    ? `The terminal updated itself to build ${build}, past build ${pinnedBuild}, to which its host pins it. ` +
      'Prepare a base of the newer build, or keep updates from the host.'
    : null;

const unknownExit: ProcessExit = { code: null, signal: null };

const toEndText = ({ code, signal }: ProcessExit): string => {
  if (signal !== null) return `${NOT_RUNNING}: it was killed (${signal}). It is being started again.`;
  const detail = code === null ? '' : ` with exit code ${code}`;
  return `${NOT_RUNNING}: it ended by itself${detail}. It is being started again.`;
};

const join = (...texts: (string | null | undefined)[]): string | null => texts.filter(Boolean).join(' ') || null;

/**
 * What the user sees of an installed terminal. @returns undefined for one that runs and has not written a line yet: it
 * may never come up. Pure.
 */
export const toTerminalObservation = (facts: TerminalFacts): Observation | undefined => {
  const { path, isAlive, shouldRun, view, trading, dialogs, obstacle } = facts;
  if (isAlive) {
    if (view.build === null) return undefined;
    const { status, reason } = toObservation(view.login);
    const dialogText = dialogs.length === 0 ? null : toDialogText(dialogs);
    const switchText =
      view.login.state === 'elsewhere' && trading.trading_reason === 'terminal_switch'
        ? 'Algo trading was switched off.'
        : null;
    const skippedText = view.skippedBytes > 0 ? toSkippedText(view.skippedBytes) : null;
    return {
      status,
      reason: join(dialogText, skippedText, reason, switchText, toPassedPin(view.build, facts.pinnedBuild)),
      path,
      trading,
    };
  }
  if (!shouldRun) return { status: TerminalStatus.STOPPED, reason: facts.isStopped ? 'stopped' : 'logged out', path };
  const text = facts.ended ? toEndText(facts.ended) : `${NOT_RUNNING}, although it should. It is being started again.`;
  const reason = join(text, obstacle?.text);
  return { status: TerminalStatus.DISCONNECTED, reason, path, exit: facts.ended ?? unknownExit };
};

/** The latest observation of a terminal, and its listeners. */
export class Observations {
  #current: Observation | undefined;
  readonly #listeners = new Set<(observation: Observation) => void>();

  get(): Observation | undefined {
    return this.#current;
  }

  /** Notifies the listeners, unless nothing has changed. */
  set(observation: Observation): void {
    if (isDeepStrictEqual(this.#current, observation)) return;
    this.#current = observation;
    for (const listener of this.#listeners) listener(observation);
  }

  /** The terminal is gone: there is nothing to observe. */
  clear(): void {
    this.#current = undefined;
  }

  listen(listener: (observation: Observation) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
