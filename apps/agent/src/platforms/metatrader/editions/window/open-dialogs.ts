/**
 * Unexpected dialogs: an update, a welcome, "A debugger has been found", a crash. They keep the terminal's window from
 * being operated. Those that are known to be harmless are closed; the others are reported, with their text.
 */
import { cutText } from '@berth/contract/values';
import type { OpenDialog } from '../../edition.ts';
import type { WindowInspector, ControlInfo, WindowInfo } from './window-inspector.ts';
import { DIALOG_CLASS, findButton } from './dialog.ts';

interface HarmlessDialog {
  title: RegExp;
  /** What a person would press to continue. */
  button: string;
}

/** An update that was downloaded is installed at the next start: a running terminal is left alone. */
const harmlessDialogs: readonly HarmlessDialog[] = [
  { title: /^Welcome to LiveUpdate/i, button: 'Later' },
  { title: /^Tip of the Day/i, button: 'Close' },
];

/** Their pages show passwords that were just created, or are being typed. */
const SECRET_TITLE = /account|login|authorization/i;

const MAX_DIALOGS = 5;
const MAX_TEXT_CHARACTERS = 500;

const toDialogText = (controls: readonly ControlInfo[]): string =>
  cutText(
    controls
      .filter(({ className, isVisible, text }) => isVisible && className === 'Static' && text.trim() !== '')
      .map(({ text }) => text.replace(/\s+/g, ' ').trim())
      .join(' '),
    MAX_TEXT_CHARACTERS,
  );

const findHarmlessButton = ({ title }: WindowInfo, controls: readonly ControlInfo[]): ControlInfo | undefined => {
  const known = harmlessDialogs.find((dialog) => dialog.title.test(title));
  return known && findButton(controls, known.button);
};

/** @returns whether it was closed */
const closeHarmless = async (
  inspector: WindowInspector,
  dialog: WindowInfo,
  controls: readonly ControlInfo[],
): Promise<boolean> => {
  const button = findHarmlessButton(dialog, controls);
  if (!button) return false;
  await inspector.act({ op: 'press', control: button.handle });
  await inspector.waitForEnd(`the dialog "${dialog.title}"`, dialog);
  return true;
};

const findDialogs = (windows: readonly WindowInfo[]): WindowInfo[] =>
  windows.filter(({ className }) => className === DIALOG_CLASS).slice(0, MAX_DIALOGS);

const listDialogControls = async (inspector: WindowInspector, dialog: WindowInfo): Promise<ControlInfo[]> =>
  dialog.isHung ? [] : inspector.listControls(dialog);

/** Whether some dialogs are open, and `listOpenDialogs` would close them all. Closes none. */
export const isBehindHarmlessOnly = async (
  inspector: WindowInspector,
  windows: readonly WindowInfo[],
): Promise<boolean> => {
  const dialogs = findDialogs(windows);
  for (const dialog of dialogs)
    if (!findHarmlessButton(dialog, await listDialogControls(inspector, dialog))) return false;
  return dialogs.length > 0;
};

/** Closes harmless dialogs. @returns those left open, with their texts */
export const listOpenDialogs = async (inspector: WindowInspector): Promise<OpenDialog[]> => {
  const left: OpenDialog[] = [];
  for (const dialog of findDialogs(await inspector.listWindows())) {
    const controls = await listDialogControls(inspector, dialog);
    if (await closeHarmless(inspector, dialog, controls)) continue;
    left.push({ title: dialog.title, text: toDialogText(controls), isSecret: SECRET_TITLE.test(dialog.title) });
  }
  return left;
};
