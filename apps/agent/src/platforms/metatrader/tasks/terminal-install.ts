import { TerminalStatus } from '@berth/contract/values';
import { toStartMessage } from '../run/start-program.ts';
import { toCredentials, waitForLogin } from './log-in.ts';
import { type TerminalParts, findPassword, type TaskHandler } from './task-run.ts';

/** Nothing is started before the record says that it is installed: after a crash half-way, nothing runs. */
const copyBase = async ({ home, edition, launcher, box, record }: TerminalParts): Promise<void> => {
  await launcher.install(box, await edition.ensureBase());
  await home.options.deleteSavedAccounts();
  await record.update({ isInstalled: true });
};

/** TERMINAL_INSTALL. A failed login does not fail the installation: the user can correct it with ACCOUNT_LOGIN. */
export const terminalInstall: TaskHandler<'TERMINAL_INSTALL'> = async (run) => {
  const { task, terminal, steps, signal } = run;
  const { home, record, live, observations } = terminal;
  const { login, server_name: serverName } = task.terminal;
  const password = findPassword(run);

  await steps.run('copy_files', async () => {
    if (record.get().isInstalled) return { message: 'The terminal is installed already.' };
    observations.set({ status: TerminalStatus.INSTALLING, reason: null });
    await record.update({ account: { login, server_name: serverName } });
    await copyBase(terminal);
    return { message: 'The installation was copied.' };
  });
  await steps.run('start_terminal', async () => {
    const credentials = password === undefined ? undefined : toCredentials(terminal, { login, password, serverName });
    await live.launch({ ...(credentials ? { credentials, serverName } : {}), signal });
    return { message: toStartMessage(`The terminal started, build ${live.view.build ?? 0}.`, terminal.launcher) };
  });
  await steps.attempt('log_in', async () => {
    await waitForLogin(terminal, signal);
    return { message: `Logged in to ${serverName}.` };
  });
  await steps.run('ready', async () => ({
    message: 'The terminal is installed and runs.',
    data: { path: home.root, build: live.view.build },
  }));
};
