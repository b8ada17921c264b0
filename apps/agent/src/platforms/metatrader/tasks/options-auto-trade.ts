import type { TradingState } from '@berth/contract/values';
import { isScreenError } from '../../../launchers/launcher.ts';
import { toTradingHint } from '../run/trading.ts';
import { waitForTrading } from './log-in.ts';
import { StepFailure } from '../step-failure.ts';
import { type TerminalParts, assertInstalled, type TaskHandler } from './task-run.ts';
import { toNotUnderstood } from './step-texts.ts';

/** Waits for the journal's line about the switch. */
const isSwitched = ({ live, edition }: TerminalParts, isOn: boolean, signal: AbortSignal): Promise<boolean> =>
  live.waitUntil(({ algoTrading }) => algoTrading === isOn, { timeoutMs: edition.timing.toggleMs, signal });

/** Presses the button, which only toggles: the state must be known. @returns whether the journal confirmed it */
const pressButton = async (terminal: TerminalParts, isOn: boolean, signal: AbortSignal): Promise<boolean> => {
  const { live, window } = terminal;
  if (live.algoTrading !== !isOn) return false;
  try {
    return (await window.toggleAlgoTrading()) && (await isSwitched(terminal, isOn, signal));
  } catch (error) {
    if (isScreenError(error)) return false;
    throw error;
  }
};

/**
 * What shows the state of the switch: the terminal's own journal, or the settings that it starts with, which hold until
 * it writes a line about a toggle. Newer builds write no such line at the start.
 */
type Proof = 'said' | 'settings' | undefined;

/**
 * A terminal that was started with this state and has not written about the switch since is left alone. Otherwise the
 * button is pressed; if that is not confirmed, the terminal is stopped, which makes it save the state, and started with
 * the new one. That start counts like any other.
 */
const switchRunning = async (terminal: TerminalParts, isOn: boolean, signal: AbortSignal): Promise<Proof> => {
  const { live, home } = terminal;
  if (live.algoTrading === isOn) return live.view.algoTrading === null ? 'settings' : 'said';
  // Where a part of the journal was skipped, nobody knows what the button would do.
  const isKnown = live.view.skippedBytes === 0;
  if (isKnown && (await pressButton(terminal, isOn, signal))) return 'said';
  await live.stop();
  const wasSwitched = (await home.options.findAlgoTrading()) === isOn;
  await live.launch({ signal });
  if (await isSwitched(terminal, isOn, signal)) return 'said';
  if (live.algoTrading !== isOn) return undefined;
  return wasSwitched ? 'said' : 'settings';
};

/** The settings are written immediately if a file has them; otherwise the next start file has them. */
const switchStopped = async ({ home }: TerminalParts, isOn: boolean): Promise<Proof> => {
  await home.options.writeAlgoTrading(isOn);
  return (await home.options.findAlgoTrading()) === isOn ? 'said' : 'settings';
};

/** While a terminal does not run, it is unknown what the next login allows. */
const UNKNOWN: TradingState = { trading_allowed: null, trading_reason: null };

const toWord = (isOn: boolean): string => (isOn ? 'on' : 'off');

const toDoubt = (isOn: boolean, enabled: boolean | null): string => {
  const seen =
    enabled === !isOn
      ? `Algo trading is still ${toWord(enabled)}.`
      : `The terminal did not confirm that algo trading is ${toWord(isOn)}.`;
  return `${seen} Take a screenshot to see its state, then repeat the task.`;
};

const toSuccess = (isOn: boolean, proof: Proof, isAlive: boolean): string => {
  if (proof === 'said') return `Algo trading is ${toWord(isOn)}.`;
  return isAlive
    ? `Algo trading is ${toWord(isOn)} by the settings of the terminal's start. Its journal has not said so.`
    : `The next start switches algo trading ${toWord(isOn)}.`;
};

/**
 * OPTIONS_AUTO_TRADE. Remembered, so that every later start uses it. If the terminal does not confirm it, the result is
 * E_TIMEOUT, with what was observed.
 */
export const optionsAutoTrade: TaskHandler<'OPTIONS_AUTO_TRADE'> = async ({ payload, terminal, steps, signal }) => {
  const { record, live } = terminal;
  const isOn = payload.allow_algo_trading === 1;
  assertInstalled(terminal);
  await steps.run('switch_algo_trading', async () => {
    const { login } = live.view;
    if (isOn && login.state === 'elsewhere') throw new StepFailure('E_AUTH', login.reason);
    await record.update({ allowsAlgoTrading: isOn });
    const isAlive = live.isAlive();
    const proof = isAlive ? await switchRunning(terminal, isOn, signal) : await switchStopped(terminal, isOn);
    const trading = isAlive ? await waitForTrading(terminal, signal) : UNKNOWN;
    const unknown = toNotUnderstood(await terminal.home.options.listUnknownLines());
    if (proof) {
      const message = toSuccess(isOn, proof, isAlive) + (isOn ? toTradingHint(trading) : '');
      return { message, data: { enabled: isOn, verified: true, ...trading, ...unknown } };
    }
    const enabled = live.view.algoTrading;
    const data = { ...(enabled === null ? {} : { enabled }), verified: false, ...trading, ...unknown };
    throw new StepFailure('E_TIMEOUT', toDoubt(isOn, enabled), { data });
  });
};
