// @module-tag wine
/** Whether the window of a Windows program would take a key, on one that comes with Wine. */
import { join } from 'node:path';
import {
  install,
  listProcesses,
  makeBase,
  openLauncher,
  openWindow,
  openTerminal,
  start,
  until,
  type WineTerminal,
} from '@berth/testing/wine-terminals';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createLauncherFolder,
  prepareLauncher,
  programFolder,
  removeLauncherFolder,
} from './support/launcher-folder.ts';

let folder: string;
let terminal: WineTerminal;
beforeAll(async () => {
  const prefix = await prepareLauncher();
  folder = await createLauncherFolder();
  terminal = openTerminal(openLauncher({ folder, programFolder }), join(folder, 'terminal'));
  await install(terminal, await makeBase(folder, prefix));
  await start(terminal);
});
afterAll(async () => {
  await terminal.launcher.remove(terminal.box);
  await removeLauncherFolder(folder);
});

const findProblem = (): Promise<string | null> =>
  openWindow(terminal)
    .assertAnswers()
    .then(
      () => null,
      (error: unknown) => (error as Error).message,
    );

interface Window {
  handle: string;
  program: string;
}
const listWindows = async (): Promise<Window[]> => {
  const { answers } = await terminal.screen.ask({ requests: [{ op: 'windows' }] });
  return (answers as { windows: Window[] }[])[0]!.windows;
};

it('a window takes a key unless it is behind a dialog or hangs, and the check opens and closes nothing', async () => {
  expect(await findProblem()).toBeNull();
  const windows = await listWindows();
  const { handle } = windows.find(({ program }) => program === 'notepad.exe')!;
  expect(windows).toHaveLength(1);
  await terminal.screen.ask({ requests: [{ op: 'key', window: handle, keys: 'ctrl+o' }] });
  await until(async () => (await findProblem()) === "A dialog stands in front of the terminal's window.");
  expect(await listWindows()).toHaveLength(2);
  const { inside } = await listProcesses(terminal);
  const { pid } = inside.find(({ command }) => command.some((part) => part.endsWith('notepad.exe')))!;
  process.kill(pid, 'SIGSTOP');
  try {
    await until(async () => (await findProblem()) === "The terminal's window does not answer: it hangs.");
  } finally {
    process.kill(pid, 'SIGCONT');
  }
});
