import type { WindowModel } from '../../window/model.ts';
import { SANDBOX_BUILD } from './banner.ts';
import type { DisplayReply, WindowCommands } from './display.ts';

const DIALOG = {
  title: 'Berth Sandbox',
  lines: [
    'A debugger has been found running in your system.',
    'Please, unload it from memory and restart your program.',
  ],
  button: 'OK',
};

const HUNG_WINDOW: WindowModel = {
  title: 'Berth Sandbox',
  build: SANDBOX_BUILD,
  account: undefined,
  connection: { server: '', pingMs: undefined },
  algoTrading: false,
  quotes: [],
  symbolCount: 0,
  charts: [],
  journal: [],
  dialog: DIALOG,
  now: new Date(0),
};

const blocked: DisplayReply = { ok: false, error: 'blocked' };

/** The window of a terminal that shows nothing but a dialog which cannot be closed. */
export const frozenWindow: WindowCommands = {
  screenshot: async (size) => {
    const { drawWindow } = await import('../../window/draw.ts');
    return { ok: true, png: (await drawWindow({ ...HUNG_WINDOW, now: new Date() }, size)).toString('base64') };
  },
  openDemo: async () => blocked,
  setWebRequests: () => blocked,
  listWebRequests: () => blocked,
  pressKeys: () => blocked,
  listDialogs: () => ({ ok: true, dialogs: [{ title: DIALOG.title, text: DIALOG.lines.join(' ') }] }),
};
