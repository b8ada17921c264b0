import { MAX_LEFT_OPEN, toBoundedLine } from '@berth/contract/values';
import type { TaskAccount } from '../../driver.ts';
import { findStepFailure, StepFailure } from '../step-failure.ts';
import { assertInstalled, toNotRunning, type TaskHandler, type TaskRun } from './task-run.ts';
import { startAsItWas } from './terminal-start.ts';

const BY_HAND = 'Stop algo trading, and close the positions in your broker\u2019s app.';

/** What interrupts for this task may have been about to start the terminal again. */
const ensureRunning = async ({ terminal, steps, signal }: Pick<TaskRun, 'terminal' | 'steps' | 'signal'>) => {
  const { live, record } = terminal;
  assertInstalled(terminal);
  if (live.isAlive()) return;
  if (!record.get().shouldRun) throw new StepFailure('E_NOT_RUNNING', toNotRunning(terminal));
  await steps.run('start_terminal', async () => ({ message: await startAsItWas(terminal, signal) }));
};

const close = async (
  account: TaskAccount,
  filter: Parameters<TaskAccount['close']>[0],
  signal: AbortSignal,
): ReturnType<TaskAccount['close']> => {
  try {
    return await account.close(filter, signal);
  } catch (error) {
    const failure = findStepFailure(error, signal.aborted);
    if (failure) throw failure;
    const message = `The terminal says nothing current about its account, so nothing was closed. ${BY_HAND}`;
    throw new StepFailure('E_UNSUPPORTED', message, { cause: error });
  }
};

/**
 * CLOSE_ALL, through the link program. What is closed is what a later state of the account no longer has; what is left is
 * named, and the task has failed then.
 */
export const closeAll: TaskHandler<'CLOSE_ALL'> = async (run) => {
  const { account, payload, signal, steps } = run;
  await ensureRunning(run);
  await steps.run('close_all', async () => {
    if (!account) throw new StepFailure('E_UNSUPPORTED', `The host reads no accounts. ${BY_HAND}`);
    const { symbols, magic } = payload;
    const filter = { symbols, magic: magic === undefined ? undefined : String(magic) };
    const { closed, total, left_open: left } = await close(account, filter, signal);
    const remaining = account.countOpen(filter) ?? null;
    const leftOpen = left.slice(0, MAX_LEFT_OPEN).map(({ ticket, symbol, message }) => ({
      ticket: toBoundedLine(ticket, 32),
      symbol: toBoundedLine(symbol, 64),
      message: toBoundedLine(message, 500),
    }));
    const data = { closed, total, left_open: leftOpen, remaining };
    if (left.length === 0 && remaining === 0) return { message: `Closed ${closed} of ${total}.`, data };
    const first = leftOpen[0];
    const why = first ? ` ${first.symbol} ${first.ticket}: ${first.message}` : ' The account could not be read again.';
    throw new StepFailure('E_TIMEOUT', `Closed ${closed} of ${total}.${why} ${BY_HAND}`, { data });
  });
};
