import type { WindowModel } from '../../window/model.ts';
import { SANDBOX_BUILD } from './banner.ts';
import type { DisplayReply, Person } from './display.ts';

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
  dialog: {
    title: 'Berth Sandbox',
    lines: [
      'A debugger has been found running in your system.',
      'Please, unload it from memory and restart your program.',
    ],
    button: 'OK',
  },
  now: new Date(0),
};

const blocked: DisplayReply = { ok: false, error: 'blocked' };

/** The person at a terminal that shows nothing but a dialog which cannot be closed. */
export const hungPerson: Person = {
  screenshot: async (size) => {
    const { drawWindow } = await import('../../window/draw.ts');
    return { ok: true, png: (await drawWindow({ ...HUNG_WINDOW, now: new Date() }, size)).toString('base64') };
  },
  openDemo: async () => blocked,
  setWebRequests: () => blocked,
  listWebRequests: () => blocked,
  pressKeys: () => blocked,
};
