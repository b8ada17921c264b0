import { isOwnAccount } from '../record.ts';
import { toStartMessage } from '../run/start-program.ts';
import { StepFailure } from '../step-failure.ts';
import { toCredentials, waitForAccount } from './log-in.ts';
import { assertInstalled, findPassword, type TaskHandler } from './task-run.ts';

/** ACCOUNT_LOGIN. The terminal is restarted with the credentials; its charts and experts stay. */
export const accountLogin: TaskHandler<'ACCOUNT_LOGIN'> = async (run) => {
  const { task, payload, terminal, steps, signal } = run;
  const { live, record } = terminal;
  assertInstalled(terminal);
  const login = payload.login ?? task.terminal.login;
  const serverName = payload.server_name ?? task.terminal.server_name;
  const password = findPassword(run);

  await steps.run('start_terminal', async () => {
    if (password !== undefined) {
      const credentials = toCredentials(terminal, { login, password, serverName });
      await live.launch({ credentials, serverName, signal });
    } else {
      if (!isOwnAccount(record.get(), { login, serverName }) || !(await live.starts.hasPassword()))
        throw new StepFailure('E_AUTH', 'No password is stored for this login. Send it along.');
      await live.launch({ signal });
    }
    return { message: toStartMessage('The terminal was started with the account.', terminal.launcher) };
  });
  await steps.run('log_in', async () => {
    // Whatever the terminal does later, the account only becomes its own once a task has seen it logged in.
    const { pingMs, trading } = await waitForAccount(terminal, signal).finally(() => {
      live.accounts.begin(undefined);
      live.refresh();
    });
    return {
      message: `Logged in to ${serverName}.`,
      data: { login, server_name: serverName, connected: true, ping_ms: pingMs, ...trading },
    };
  });
};
