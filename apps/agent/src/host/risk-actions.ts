/**
 * What the guard does to terminals. Closing needs no turn in the terminal's line of jobs: it goes through the link program.
 * The switch of algo trading does; what runs on the terminal is interrupted for it, where that may be.
 */
import type { Platform } from '@berth/contract/values';
import { MAX_LEFT_OPEN, TaskType, TerminalStatus, toBoundedLine } from '@berth/contract/values';
import type { Logger } from '@berth/kit';
import type { Accounts } from '../account/accounts.ts';
import type { AttemptOutcome, TaskFiles } from '../platforms/driver.ts';
import type { RiskActions } from '../risk/breach-actions.ts';
import type { TerminalKeeper } from '../terminals/terminal-keeper.ts';

const SWITCH_MS = 120_000;
/** Closing must not wait for long: experts are asked for again after each round. */
const EXPERTS_MS = 1_000;
const DONE = 10_009;

const noFiles: TaskFiles = {
  download: () => Promise.reject(new Error('A risk rule has no files.')),
  upload: () => Promise.reject(new Error('A risk rule has no files.')),
};

export interface RiskActionOptions {
  accounts: Pick<Accounts, 'closeEverything' | 'latestAccount' | 'sendCommand'>;
  keeper: Pick<TerminalKeeper, 'find' | 'runOpen'>;
  /** Ends what runs on the terminal, where it may be repeated. */
  interrupt: (terminalId: string) => void;
  platform: Platform;
  createId: () => string;
  log: Logger;
}

/** The task of which a driver reads the type and the payload. */
const toSwitchTask = (terminalId: string, isOn: boolean, { platform, createId }: RiskActionOptions) => ({
  id: createId(),
  fence: 1,
  type: TaskType.OPTIONS_AUTO_TRADE,
  terminal: { id: terminalId, platform, status: TerminalStatus.ACTIVE, server_name: '', login: '' },
  payload: { allow_algo_trading: isOn ? 1 : 0 },
  secrets: {},
  running_deadline_ms: SWITCH_MS,
});

export const createRiskActions = (options: RiskActionOptions): RiskActions => {
  const { accounts, keeper, interrupt, log } = options;
  return {
    takeExpertsAway: async (terminalId, signal) => {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(EXPERTS_MS)]);
      const { retcode, message } = await accounts.sendCommand(terminalId, { action: 'remove_experts' }, deadline);
      // A program of before knows no such command, and that of MetaTrader 4 cannot.
      if (retcode === 0) return undefined;
      if (retcode !== DONE || !/^[0-9]{1,4}$/.test(message)) throw new Error(toBoundedLine(message, 200));
      return Number(message);
    },
    closeAll: async (terminalId, onOrder, signal, onAnswer) => {
      const result = await accounts.closeEverything(terminalId, { onOrder, onAnswer }, signal);
      const { closed, left_open: left, isSwitchedOff = false, isSessionClosed = false } = result;
      const state = accounts.latestAccount(terminalId)?.state;
      const leftOpen = left.slice(0, MAX_LEFT_OPEN).map(({ ticket, symbol, message }) => ({
        ticket: toBoundedLine(ticket, 32),
        symbol: toBoundedLine(symbol, 64),
        message: toBoundedLine(message, 500),
      }));
      // Both totals, because a state lists no more than fit into it.
      const isEmpty = left.length === 0 && state?.positions_total === 0 && state.orders_total === 0;
      return { closed, leftOpen, isEmpty, sequence: state?.sequence ?? 0, isSwitchedOff, isSessionClosed };
    },
    switchTrading: async (terminalId, isOn, signal) => {
      const driver = keeper.find(terminalId);
      if (!driver) throw new Error('The terminal is not installed on this host.');
      interrupt(terminalId);
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(SWITCH_MS)]);
      let outcome: AttemptOutcome | undefined;
      await keeper.runOpen(driver, async () => {
        const task = toSwitchTask(terminalId, isOn, options);
        outcome = await driver.carryOut({ task, files: noFiles, signal: deadline, log });
      });
      if (outcome?.kind === 'completed') return;
      throw new Error(outcome?.steps.at(-1)?.message ?? 'The terminal is being removed.');
    },
  };
};
