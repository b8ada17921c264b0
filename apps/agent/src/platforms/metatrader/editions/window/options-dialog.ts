/**
 * The list of web addresses in Tools > Options > Expert Advisors. No file can be written for it: the terminal keeps it in a
 * form of its own. So it is read and entered in the dialog, and what counts is what the dialog shows when it is opened anew.
 */
import { LauncherError } from '../../../../launchers/launcher.ts';
import type { Desk, DeskControl, DeskWindow } from './desk.ts';
import { DIALOG_CLASS, isCalled, pressButton } from './dialog.ts';
import { getMainWindow } from './main-window.ts';

const TITLE = 'Options';
const KEYS = 'ctrl+o';
const PAGE = 'Expert Advisors';
const ALLOWED = 'Allow WebRequest for listed URL';
const WHAT = 'the options dialog';

interface WebRequestPage {
  /** The box that switches the list on. */
  allowed: DeskControl;
  list: DeskControl;
}

const findPage = (controls: readonly DeskControl[]): WebRequestPage | undefined => {
  const shown = controls.filter(({ isVisible }) => isVisible);
  const allowed = shown.find((control) => isCalled(control, ALLOWED));
  const list = shown.find(({ className }) => className === 'SysListView32');
  return allowed && list ? { allowed, list } : undefined;
};

const isUrl = (item: string): boolean => /^https?:\/\/\S+$/.test(item);

/** The last row only invites to add one. */
const toUrls = ({ allowed, list }: WebRequestPage): string[] => (allowed.isChecked ? list.items.filter(isUrl) : []);

/** Opens the dialog at its page. */
const openPage = async (desk: Desk, program: string): Promise<{ dialog: DeskWindow; page: WebRequestPage }> => {
  const main = await getMainWindow(desk, program);
  await desk.act({ op: 'key', window: main.handle, keys: KEYS });
  const dialog = await desk.waitForWindow(
    WHAT,
    ({ title, className }) => title === TITLE && className === DIALOG_CLASS,
  );
  const tabs = await desk.waitForControls('its pages', dialog, (controls) =>
    controls.find(({ className, items }) => className === 'SysTabControl32' && items.includes(PAGE)),
  );
  await desk.act({ op: 'select', control: tabs.handle, item: PAGE });
  const page = await desk.waitForControls('the list of web addresses', dialog, findPage);
  return { dialog, page };
};

const leave = async (desk: Desk, dialog: DeskWindow, button: 'OK' | 'Cancel'): Promise<void> => {
  await pressButton(desk, dialog, button);
  await desk.waitForEnd(WHAT, dialog);
};

/** The last row, which invites to, becomes the new address when it is edited; an emptied row goes. */
const editRow = (desk: Desk, list: DeskControl, item: string | number, text: string) =>
  desk.act({ op: 'edit', control: list.handle, item, text });

const changeList = async (desk: Desk, dialog: DeskWindow, wanted: readonly string[]): Promise<void> => {
  const { list } = await desk.waitForControls('the list of web addresses', dialog, findPage);
  const present = list.items.filter(isUrl);
  for (const url of present.filter((each) => !wanted.includes(each))) await editRow(desk, list, url, '');
  let rows = present.filter((each) => wanted.includes(each)).length;
  for (const url of wanted.filter((each) => !present.includes(each))) {
    await editRow(desk, list, rows, url);
    rows += 1;
  }
};

/** @returns the addresses that experts may call, as the dialog shows them; none while the list is switched off */
export const readWebRequestUrls = async (desk: Desk, program: string): Promise<string[]> => {
  const { dialog, page } = await openPage(desk, program);
  await leave(desk, dialog, 'Cancel');
  return toUrls(page);
};

/** Sets the list, reads it back and confirms. Whoever wants to be sure opens the dialog once more. */
export const writeWebRequestUrls = async (desk: Desk, program: string, urls: readonly string[]): Promise<void> => {
  const { dialog, page } = await openPage(desk, program);
  try {
    await desk.act({ op: 'check', control: page.allowed.handle, on: 1 });
    await changeList(desk, dialog, urls);
    if (urls.length === 0) await desk.act({ op: 'check', control: page.allowed.handle, on: 0 });
    const shown = await desk.waitForControls('the list of web addresses', dialog, findPage);
    const kept = toUrls(shown);
    if (kept.length !== urls.length || !urls.every((url) => kept.includes(url))) {
      throw new LauncherError('screen', "The terminal's options dialog did not take the list of web addresses.");
    }
  } catch (error) {
    await leave(desk, dialog, 'Cancel').catch(() => undefined);
    throw error;
  }
  await leave(desk, dialog, 'OK');
};
