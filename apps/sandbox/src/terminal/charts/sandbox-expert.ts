import { setTimeout as sleepUntil } from 'node:timers/promises';
import { isTrade, type AccountState, type TradeRequest, type TradeResult } from '../../wire/trade-messages.ts';
import type { ExpertScript, LifeAct, ScriptAction } from './expert-script.ts';

/** What a sandbox expert needs of its terminal. */
export interface ExpertTrader {
  readonly state: AccountState | undefined;
  /** Resolves once the state is that of now, or the signal aborts. */
  synchronized(signal: AbortSignal): Promise<void>;
  trade(request: TradeRequest): Promise<TradeResult>;
}

export interface SandboxExpertOptions {
  script: ExpertScript;
  trader: ExpertTrader;
  /** The expert's own switch. */
  mayTrade: boolean;
  /** When the expert was loaded, by the clock of `performance`. */
  loadedAt: number;
  print: (message: string) => void;
  live: (act: LifeAct) => void;
  signal: AbortSignal;
}

/** The shortest round of a script that repeats. */
const MIN_ROUND_MS = 1_000;

const NOT_ALLOWED: TradeResult = {
  retcode: 10_027,
  message: 'algo trading is off for this expert',
  order: null,
  deal: null,
};

const toText = (act: TradeRequest): string =>
  Object.entries(act)
    .filter(([, value]) => value !== null && value !== '')
    .map(([, value]) => String(value))
    .join(' ');

const carryOut = async (act: TradeRequest, options: SandboxExpertOptions): Promise<void> => {
  const { trader, mayTrade, print, signal } = options;
  const isAllowed = mayTrade || !isTrade(act);
  const { retcode, message } = isAllowed ? await trader.trade(act) : NOT_ALLOWED;
  // The journal is closed once the terminal is.
  if (!signal.aborted) print(`${toText(act)}: ${message} [${retcode}]`);
};

const isLifeAct = (act: ScriptAction['act']): act is LifeAct =>
  act !== 'close all' && ['print', 'fail', 'remove'].includes(act.action);

const perform = async (act: Exclude<ScriptAction['act'], LifeAct>, options: SandboxExpertOptions): Promise<void> => {
  if (act !== 'close all') return carryOut(act, options);
  for (const { ticket } of options.trader.state?.positions ?? []) {
    if (options.signal.aborted) return;
    await carryOut({ action: 'close', ticket, volume: null }, options);
  }
};

/** Acts out a script until its end, or until the signal aborts. What is late because of the login is done at once. */
export const runSandboxExpert = async (options: SandboxExpertOptions): Promise<void> => {
  const { script, loadedAt, signal } = options;
  const waitUntil = async (at: number): Promise<void> => {
    await sleepUntil(Math.max(0, at - performance.now()), undefined, { signal }).catch(() => undefined);
  };
  let beganAt = loadedAt;
  do {
    for (const { afterMs, act } of script.actions) {
      await waitUntil(beganAt + afterMs);
      if (signal.aborted) return;
      if (isLifeAct(act)) {
        options.live(act);
        continue;
      }
      // At a login the account comes a moment later: what is open is not known until then.
      await options.trader.synchronized(signal);
      if (signal.aborted) return;
      await perform(act, options);
    }
    await waitUntil(beganAt + MIN_ROUND_MS);
    beganAt = performance.now();
  } while (script.repeat && !signal.aborted);
};
