import { constants } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { TerminalStatus } from '@berth/contract';
import { deleteSavedAccounts } from '../files/options.ts';
import type { TerminalParts } from '../parts.ts';
import { toCredentials, waitForLogin } from './log-in.ts';
import { findPassword, type TaskHandler } from './task-run.ts';

/**
 * Copies the base beside its place and moves it there when it is whole: what a crash leaves half-copied is never started.
 * Where the file system can, the copy shares its blocks with the base.
 */
const copyBase = async ({ home, launcher, record }: TerminalParts): Promise<void> => {
  const base = await launcher.ensureBase();
  const draft = `${home.root}.partial`;
  await rm(draft, { recursive: true, force: true });
  await cp(base, draft, { recursive: true, mode: constants.COPYFILE_FICLONE });
  await deleteSavedAccounts(draft);
  await rm(home.root, { recursive: true, force: true });
  await rename(draft, home.root);
  await record.update({ isInstalled: true });
};

/** TERMINAL_INSTALL. A login that fails does not fail the installation: the user can correct it with ACCOUNT_LOGIN. */
export const terminalInstall: TaskHandler<0> = async (run) => {
  const { task, terminal, steps, signal } = run;
  const { home, record, session, observations } = terminal;
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
    await session.launch({ ...(credentials ? { credentials, serverName } : {}), signal });
    return { message: `The terminal started, build ${session.view.build ?? 0}.` };
  });
  await steps.attempt('log_in', async () => {
    await waitForLogin(terminal, signal);
    return { message: `Logged in to ${serverName}.` };
  });
  await steps.run('ready', async () => ({
    message: 'The terminal is installed and runs.',
    data: { path: home.root, build: session.view.build },
  }));
};
