/**
 * The list of web addresses in Tools > Options > Expert Advisors. It cannot be written to a file: the terminal stores
 * it in a format of its own. So it is read and entered in the dialog, and what counts is what the dialog shows when it
 * is opened again.
 */
import { LauncherError } from '../../../../launchers/launcher.ts';
import type { WindowInspector, ControlInfo, WindowInfo } from './window-inspector.ts';
import { DIALOG_CLASS, isCalled, pressButton } from './dialog.ts';
import { getMainWindow } from './main-window.ts';

const TITLE = 'Options';
const KEYS = 'ctrl+o';
const PAGE = 'Expert Advisors';
const ALLOWED = 'Allow WebRequest for listed URL';
const WHAT = 'the options dialog';

interface WebRequestPage {
  /** The check box that turns the list on. */
  allowed: ControlInfo;
  list: ControlInfo;
}

const findPage = (controls: readonly ControlInfo[]): WebRequestPage | undefined => {
  const shown = controls.filter(({ isVisible }) => isVisible);
  const allowed = shown.find((control) => isCalled(control, ALLOWED));
  const list = shown.find(({ className }) => className === 'SysListView32');
  return allowed && list ? { allowed, list } : undefined;
};

const isUrl = (item: string): boolean => /^https?:\/\/\S+$/.test(item);

/** The last row is only a placeholder for a new one. */
const toUrls = ({ allowed, list }: WebRequestPage): string[] => (allowed.isChecked ? list.items.filter(isUrl) : []);

/** Opens the dialog at its page. */
const openPage = async (
  inspector: WindowInspector,
  program: string,
): Promise<{ dialog: WindowInfo; page: WebRequestPage }> => {
  const main = await getMainWindow(inspector, program);
  await inspector.act({ op: 'key', window: main.handle, keys: KEYS });
  const dialog = await inspector.waitForWindow(
    WHAT,
    ({ title, className }) => title === TITLE && className === DIALOG_CLASS,
  );
  const tabs = await inspector.waitForControls('its pages', dialog, (controls) =>
    controls.find(({ className, items }) => className === 'SysTabControl32' && items.includes(PAGE)),
  );
  await inspector.act({ op: 'select', control: tabs.handle, item: PAGE });
  const page = await inspector.waitForControls('the list of web addresses', dialog, findPage);
  return { dialog, page };
};

const leave = async (inspector: WindowInspector, dialog: WindowInfo, button: 'OK' | 'Cancel'): Promise<void> => {
  await pressButton(inspector, dialog, button);
  await inspector.waitForEnd(WHAT, dialog);
};

/** The last row becomes a new address when it is edited; an emptied row disappears. */
const editRow = (inspector: WindowInspector, list: ControlInfo, item: string | number, text: string) =>
  inspector.act({ op: 'edit', control: list.handle, item, text });

const changeList = async (inspector: WindowInspector, dialog: WindowInfo, wanted: readonly string[]): Promise<void> => {
  const { list } = await inspector.waitForControls('the list of web addresses', dialog, findPage);
  const present = list.items.filter(isUrl);
  for (const url of present.filter((each) => !wanted.includes(each))) await editRow(inspector, list, url, '');
  let rows = present.filter((each) => wanted.includes(each)).length;
  for (const url of wanted.filter((each) => !present.includes(each))) {
    await editRow(inspector, list, rows, url);
    rows += 1;
  }
};

/** @returns the addresses that EAs may call, as the dialog shows them; empty while the list is turned off */
export const readWebRequestUrls = async (inspector: WindowInspector, program: string): Promise<string[]> => {
  const { dialog, page } = await openPage(inspector, program);
  await leave(inspector, dialog, 'Cancel');
  return toUrls(page);
};

/** Sets the list, reads it back and confirms. To be sure, open the dialog once more. */
export const writeWebRequestUrls = async (
  inspector: WindowInspector,
  program: string,
  urls: readonly string[],
): Promise<void> => {
  const { dialog, page } = await openPage(inspector, program);
  try {
    await inspector.act({ op: 'check', control: page.allowed.handle, on: 1 });
    await changeList(inspector, dialog, urls);
    if (urls.length === 0) await inspector.act({ op: 'check', control: page.allowed.handle, on: 0 });
    const shown = await inspector.waitForControls('the list of web addresses', dialog, findPage);
    const kept = toUrls(shown);
    if (kept.length !== urls.length || !urls.every((url) => kept.includes(url))) {
      throw new LauncherError('screen', "The terminal's options dialog did not take the list of web addresses.");
    }
  } catch (error) {
    await leave(inspector, dialog, 'Cancel').catch(() => undefined);
    throw error;
  }
  await leave(inspector, dialog, 'OK');
};
