import type { TradingState } from '@berth/contract/values';
import { isScreenError } from '../../../launchers/launcher.ts';
import type { TerminalParts } from '../parts.ts';
import { toTradingHint } from '../run/trading.ts';
import { waitForTrading } from './log-in.ts';
import { StepFailure } from '../step-failure.ts';
import { assertInstalled, type TaskHandler } from './task-run.ts';

/** Waits for the journal's line about the switch. */
const isSwitched = ({ live, edition }: TerminalParts, isOn: boolean, signal: AbortSignal): Promise<boolean> =>
  live.waitUntil(({ algoTrading }) => algoTrading === isOn, { timeoutMs: edition.timing.toggleMs, signal });

/** Presses the button, which only toggles: the state must be known. @returns whether the journal confirmed it. */
const pressButton = async (terminal: TerminalParts, isOn: boolean, signal: AbortSignal): Promise<boolean> => {
  const { live, operator } = terminal;
  if (live.view.algoTrading === null) return false;
  try {
    return (await operator.toggleAlgoTrading()) && (await isSwitched(terminal, isOn, signal));
  } catch (error) {
    if (isScreenError(error)) return false;
    throw error;
  }
};

const switchRunning = async (terminal: TerminalParts, isOn: boolean, signal: AbortSignal): Promise<boolean> => {
  const { live } = terminal;
  if (live.view.algoTrading === isOn) return true;
  if (await pressButton(terminal, isOn, signal)) return true;
  await live.launch({ signal });
  return isSwitched(terminal, isOn, signal);
};

/** While a terminal does not run, it is not known what the next login allows. */
const UNKNOWN: TradingState = { trading_allowed: null, trading_reason: null };

const toWord = (isOn: boolean): string => (isOn ? 'on' : 'off');

const toDoubt = (isOn: boolean, enabled: boolean): string => {
  const seen =
    enabled === isOn
      ? `The terminal did not confirm that algo trading is ${toWord(isOn)}.`
      : `Algo trading is still ${toWord(enabled)}.`;
  return `${seen} Take a screenshot to see its state, then repeat the task.`;
};

/**
 * OPTIONS_AUTO_TRADE. Remembered, so that every later start begins with it. What the terminal does not confirm is E_TIMEOUT,
 * with what was seen.
 */
export const optionsAutoTrade: TaskHandler<'OPTIONS_AUTO_TRADE'> = async ({ payload, terminal, steps, signal }) => {
  const { record, live, home } = terminal;
  const isOn = payload.allow_algo_trading === 1;
  assertInstalled(terminal);
  await steps.run('switch_algo_trading', async () => {
    await record.update({ allowsAlgoTrading: isOn });
    if (!live.isAlive()) await home.options.writeAlgoTrading(isOn);
    const verified = live.isAlive()
      ? await switchRunning(terminal, isOn, signal)
      : (await home.options.readAlgoTrading()) === isOn;
    const trading = live.isAlive() ? await waitForTrading(terminal, signal) : UNKNOWN;
    if (verified) {
      const hint = isOn ? toTradingHint(trading) : '';
      return { message: `Algo trading is ${toWord(isOn)}.${hint}`, data: { enabled: isOn, verified, ...trading } };
    }
    const enabled = live.view.algoTrading ?? (await home.options.readAlgoTrading());
    throw new StepFailure('E_TIMEOUT', toDoubt(isOn, enabled), { data: { enabled, verified, ...trading } });
  });
};
