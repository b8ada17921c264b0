import { toStartMessage } from '../run/start-program.ts';
import { StepFailure } from '../step-failure.ts';
import { waitForAccount } from './log-in.ts';
import { type TerminalParts, assertInstalled, toNotRunning, type TaskHandler, type TaskRun } from './task-run.ts';

/** Starts the terminal as it was, with its charts and experts. */
export const startAsItWas = async ({ live, launcher }: TerminalParts, signal: AbortSignal): Promise<string> => {
  await live.launch({ signal });
  return toStartMessage('The terminal was started.', launcher);
};

const startAndLogIn = async (
  { terminal, steps, signal }: Pick<TaskRun, 'terminal' | 'steps' | 'signal'>,
  start: () => Promise<string>,
): Promise<void> => {
  const { record, live } = terminal;
  await steps.run('start_terminal', async () => ({ message: await start() }));
  await steps.run('log_in', async () => {
    const { pingMs, trading } = await waitForAccount(terminal, signal);
    const { account } = record.get();
    return {
      message: `Logged in to ${account?.server_name ?? 'the trading server'}.`,
      data: { running: live.isAlive(), ...account, connected: true, ping_ms: pingMs, ...trading },
    };
  });
};

/** TERMINAL_START. With the account that the terminal had when it was stopped; one that runs is left as it is. */
export const terminalStart: TaskHandler<'TERMINAL_START'> = async (run) => {
  const { terminal, signal } = run;
  const { record, live } = terminal;
  assertInstalled(terminal);
  if (record.get().account === null) throw new StepFailure('E_AUTH', toNotRunning(terminal));
  await startAndLogIn(run, async () => (live.isAlive() ? 'The terminal runs.' : startAsItWas(terminal, signal)));
};

/** TERMINAL_RESTART. One that is down on purpose stays down. */
export const terminalRestart: TaskHandler<'TERMINAL_RESTART'> = async (run) => {
  const { terminal, steps, signal } = run;
  const { record, live } = terminal;
  assertInstalled(terminal);
  if (!record.get().shouldRun) throw new StepFailure('E_NOT_RUNNING', toNotRunning(terminal));
  await steps.run('stop_terminal', async () => {
    await live.stop();
    return { message: 'The terminal was stopped.' };
  });
  await startAndLogIn(run, () => startAsItWas(terminal, signal));
};
