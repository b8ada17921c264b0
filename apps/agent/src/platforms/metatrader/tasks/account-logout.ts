import { assertInstalled, type TaskHandler } from './task-run.ts';
import { toNotUnderstood } from './step-texts.ts';

/**
 * ACCOUNT_LOGOUT. MetaTrader has no command for it, so the terminal is stopped, forgets its accounts and stays stopped:
 * started without an account it would open a wizard that blocks its screen, and it would have nothing to do.
 */
export const accountLogout: TaskHandler<'ACCOUNT_LOGOUT'> = async ({ terminal, steps }) => {
  const { home, record, live } = terminal;
  assertInstalled(terminal);
  await steps.run('stop_terminal', async () => {
    // Recorded first, so that a crash half-way does not bring the terminal back.
    await record.update({ shouldRun: false, isStopped: false });
    await live.stop();
    return { message: 'The terminal was stopped.' };
  });
  await steps.run('forget_account', async () => {
    await home.options.forgetAccount();
    await live.starts.forgetLogin();
    await live.accounts.use(null);
    live.refresh();
    const unknown = toNotUnderstood(await home.options.listUnknownLines());
    const message = 'The terminal has forgotten its account and stays stopped.';
    return { message, data: { connected: false, ...unknown } };
  });
};
