import { LauncherError } from '../../../../launchers/launcher.ts';
import type { WindowInspector, WindowInfo } from './window-inspector.ts';
import { DIALOG_CLASS } from './dialog.ts';
import { isBehindHarmlessOnly, listOpenDialogs } from './open-dialogs.ts';

const isProgram = ({ program }: WindowInfo, name: string): boolean => program.toLowerCase() === name.toLowerCase();

/**
 * The terminal's main window among all windows of its box. Pure. @param program the file name of the terminal's program
 */
export const findMainWindow = (windows: readonly WindowInfo[], program: string): WindowInfo | undefined =>
  windows.find(
    (window) =>
      isProgram(window, program) &&
      window.owner === undefined &&
      window.className !== DIALOG_CLASS &&
      window.title !== '',
  );

/** The main window; dialogs in front of it that are known to be harmless are closed. */
const lookForMainWindow = async (inspector: WindowInspector, program: string): Promise<WindowInfo | undefined> => {
  const window = findMainWindow(await inspector.listWindows(), program);
  if (!window || window.isEnabled || window.isHung) return window;
  await listOpenDialogs(inspector);
  return findMainWindow(await inspector.listWindows(), program);
};

const toReady = (window: WindowInfo | undefined): WindowInfo => {
  if (!window) throw new LauncherError('screen', 'The terminal shows no window.');
  if (window.isHung) throw new LauncherError('screen', "The terminal's window does not answer: it hangs.");
  if (!window.isEnabled) throw new LauncherError('screen', "A dialog stands in front of the terminal's window.");
  return window;
};

/** The main window, ready for a command. Throws when it hangs, is hidden or is behind a dialog. */
export const getMainWindow = async (inspector: WindowInspector, program: string): Promise<WindowInfo> =>
  toReady(await lookForMainWindow(inspector, program));

/** Throws where `getMainWindow` would; closes no dialog. */
export const assertMainWindow = async (inspector: WindowInspector, program: string): Promise<void> => {
  const windows = await inspector.listWindows();
  const window = findMainWindow(windows, program);
  if (window && !window.isEnabled && !window.isHung && (await isBehindHarmlessOnly(inspector, windows))) return;
  toReady(window);
};
