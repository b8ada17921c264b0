import { assertInstalled, type TaskHandler } from './task-run.ts';

/**
 * TERMINAL_STOP. The terminal ends, cleanly if it can, and stays down until it is started, also over a restart of its host.
 * It keeps its account, its charts and its experts.
 */
export const terminalStop: TaskHandler<'TERMINAL_STOP'> = async ({ terminal, steps }) => {
  const { record, live } = terminal;
  assertInstalled(terminal);
  await steps.run('stop_terminal', async () => {
    const { account } = record.get();
    // Recorded first, so that a crash half-way does not bring the terminal back. One that is logged out stays that.
    await record.update({ shouldRun: false, isStopped: account !== null });
    // Rejects unless no process of the terminal is left.
    await live.stop();
    live.refresh();
    return { message: 'The terminal is stopped.', data: { running: false } };
  });
};
