// @module-tag wine
/** The stand-in terminal under real Wine: started, operated and stopped as hosts do it with a MetaTrader terminal. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@berth/testing';
import { describe, expect, it } from 'vitest';
import type { Control } from './support/desktop.ts';
import {
  address,
  desktop,
  find,
  Folder,
  loginFile,
  SERVER,
  toUtf16,
  useStandInDesktop,
} from './support/stand-in-folder.ts';

/** Windows' own number of that button in every wizard. */
const FINISH_BUTTON = 12325;

useStandInDesktop();

describe('the stand-in terminal', () => {
  it.each([
    ['ASCII', (text: string) => text],
    ['UTF-16LE', toUtf16],
  ])(
    'the stand-in terminal logs in by a start file in %s, keeps the password, and logs in again by itself',
    async (name, encode) => {
      const folder = new Folder();
      const login = name === 'ASCII' ? '5001' : '5002';
      const first = folder.start(folder.config(loginFile(login), encode));
      await folder.waitFor(`'${login}': authorized on ${SERVER} through `);
      await folder.waitFor(/synchronized with .*: 0 positions, 0 orders, \d+ symbols/);
      expect(folder.lines()[0]).toMatch(
        /^[A-Z]{2}\t0\t\d\d:\d\d:\d\d\.\d{3}\tTerminal\tBerth stand-in MT5 x64 build 6000 started for /,
      );
      const window = await desktop.waitForWindow(
        ({ title }) => title.startsWith(`${login} - ${SERVER} - `),
        'the title',
      );
      expect(window.title).toContain('Berth stand-in terminal (simulated MetaTrader 5');
      await folder.stop(first);
      expect(folder.lines().at(-1)).toContain('shutdown with 0');
      expect(folder.read('config/common.ini')).toContain(`Login=${login}\r\n`);
      expect(folder.read('config/accounts.dat')).not.toContain('trade-me');

      const lines = folder.lines().length;
      const second = folder.start();
      await folder.waitFor(`'${login}': authorized on`, 'logs', lines);
      await folder.stop(second);
    },
  );

  it('the stand-in terminal says what fails: a wrong password, nobody there, and nothing at all for an unknown server', async () => {
    const folder = new Folder();
    const first = folder.start(folder.config(loginFile('5003')));
    await folder.waitFor('authorized on');
    await folder.stop(first);
    const refused = new Folder();
    const second = refused.start(refused.config(loginFile('5003', 'wrong')));
    await refused.waitFor(`'5003': authorization on ${SERVER} failed (Invalid account)`);
    await refused.stop(second);
    const alone = new Folder();
    alone.write('config/servers.txt', `${SERVER}=127.0.0.1:1\n`);
    const third = alone.start(alone.config(loginFile('5003')));
    await alone.waitFor(`'5003': no connection to ${SERVER}`);
    await alone.stop(third);
    const unknown = new Folder();
    rmSync(join(unknown.path, 'config/servers.txt'));
    const fourth = unknown.start(unknown.config(loginFile('5003')));
    await unknown.window();
    await unknown.stop(fourth);
    expect(unknown.lines().filter((line) => line.includes('Network'))).toEqual([]);
  });

  it('the stand-in terminal opens its MCP server, unless its file says that it is closed', async () => {
    const line = 'MCP started on 127.0.0.1:22346';
    const open = new Folder();
    const first = open.start();
    await open.waitFor(line);
    await open.stop(first);
    const closed = new Folder();
    closed.write('config/assistant.ini', '[MCP.MetaTrader]\r\nEnable=0\r\n');
    const second = closed.start();
    await closed.window();
    await closed.stop(second);
    expect(closed.lines().join('\n')).not.toContain(line);
  });

  it('acts out what the name of a server asks for', async () => {
    const folder = new Folder();
    folder.write('config/servers.txt', `*=${address}\n`);
    const log = (server: string) =>
      folder.start(folder.config(`[Common]\nLogin=5099\nPassword=trade-me\nServer=${server}\nKeepPrivate=1\n`));
    const allocated = log('Allocated-Demo');
    await folder.waitFor("demo account '90005099' was allocated on Allocated-Demo");
    await folder.waitFor("'90005099': authorized on Allocated-Demo");
    await folder.stop(allocated);
    const expired = log('Expired-Demo');
    await folder.waitFor("\tExpired-Demo\t'5099': master password must be changed");
    await folder.stop(expired);
    const switching = log('Switching-Demo');
    await folder.waitFor("'5099': authorized on Switching-Demo through Access Point 2");
    await folder.stop(switching);
    const dialog = log('Dialog-Demo');
    await desktop.waitForWindow(({ title }) => title === 'Login', 'the dialog');
    await folder.stop(dialog);
    const wiped = log('Wiped-Demo');
    await folder.waitFor("'5099': authorized on Wiped-Demo");
    await folder.stop(wiped);
    const before = folder.lines().length;
    const after = folder.start();
    await folder.window();
    await folder.stop(after);
    expect(folder.lines()[before]).toContain('\tAccounts\tdeleted due security reason');
  });

  it('the stand-in terminal switches algo trading by key, command and toolbar', async () => {
    const folder = new Folder();
    folder.faults('switch_line=1');
    const process = folder.start();
    const { handle } = await folder.window();
    await folder.waitFor('automated trading is disabled');
    await desktop.get({ op: 'key', window: handle, keys: 'ctrl+e' });
    await folder.waitFor('automated trading is enabled', 'logs', 4);
    await desktop.get({ op: 'command', window: handle, id: 33020 });
    await folder.waitFor('automated trading is disabled', 'logs', 5);
    await folder.stop(process);
    expect(folder.read('config/common.ini')).toContain('Enabled=0\r\n');
  });

  it('the stand-in terminal keeps the addresses that its options dialog was given', async () => {
    const folder = new Folder();
    const first = folder.start();
    const openExperts = async (): Promise<string> => {
      await desktop.get({ op: 'command', window: (await folder.window()).handle, id: 33003 });
      const dialog = await desktop.waitForWindow(({ title }) => title === 'Options', 'the options');
      const tabs = find(await desktop.listControls(dialog.handle), ({ class: name }) => name === 'SysTabControl32');
      await desktop.get({ op: 'select', control: tabs.handle, item: 'Expert Advisors' });
      return dialog.handle;
    };
    const isBox = ({ text }: Control): boolean => text === 'Allow WebRequest for listed URL:';
    const isList = ({ class: name, visible }: Control): boolean => name === 'SysListView32' && visible;
    let dialog = await openExperts();
    let controls = await desktop.listControls(dialog);
    await desktop.get({ op: 'check', control: find(controls, isBox).handle, on: 1 });
    const list = find(controls, isList);
    expect(list.items).toEqual(["add new URL like 'https://www.mql5.com'"]);
    await desktop.get({ op: 'edit', control: list.handle, item: list.items![0], text: 'https://api.example.com' });
    await desktop.get({ op: 'edit', control: list.handle, item: 1, text: 'https://b.example.com' });
    controls = await desktop.listControls(dialog);
    expect(find(controls, isList).items!.slice(0, 2)).toEqual(['https://api.example.com', 'https://b.example.com']);
    await desktop.get({ op: 'press', control: find(controls, ({ id }) => id === 1).handle });
    await waitFor(async () => (await desktop.listWindows()).every(({ title }) => title !== 'Options'));
    await folder.stop(first);
    expect(folder.read('config/common.ini')).toMatch(/WebRequest=1\r\nWebRequestUrl=[0-9A-F]+\r\n/);

    const second = folder.start();
    dialog = await openExperts();
    controls = await desktop.listControls(dialog);
    expect(find(controls, isBox).checked).toBe(true);
    expect(find(controls, isList).items).toHaveLength(3);
    // A polite stop works behind the dialog too.
    await folder.stop(second);
  });

  it('the stand-in terminal shows the window program a list of any length, of which it takes 500 items', async () => {
    const folder = new Folder();
    const names = Array.from({ length: 600 }, (_, index) => `Broker-${index}=${address}\n`);
    folder.write('config/servers.txt', names.join(''));
    const process = folder.start();
    await desktop.get({ op: 'command', window: (await folder.window()).handle, id: 33001 });
    const { handle } = await desktop.waitForWindow(({ title }) => title === 'Open an Account', 'the wizard');
    const list = find(await desktop.listControls(handle), ({ id }) => id === 1203);
    expect(list.items).toHaveLength(500);
    expect(list).toMatchObject({ truncated: true });
    expect(list.items![499]).toBe('Broker-499');
    await folder.stop(process);
  });

  it('the stand-in terminal opens a demo account by its wizard', async () => {
    const folder = new Folder();
    const process = folder.start();
    await desktop.get({ op: 'command', window: (await folder.window()).handle, id: 33001 });
    const { handle } = await desktop.waitForWindow(({ title }) => title === 'Open an Account', 'the wizard');
    const press = async (fits: (control: Control) => boolean): Promise<void> => {
      const control = await waitFor(
        async () => (await desktop.listControls(handle)).find((each) => fits(each) && each.enabled && each.visible),
        { what: 'the button' },
      );
      await desktop.get({ op: 'press', control: control.handle });
    };
    const isNext = ({ text }: Control): boolean => text.startsWith('&Next');
    const waitForField = (id: number): Promise<Control> =>
      waitFor(async () => (await desktop.listControls(handle)).find((each) => each.id === id && each.visible));
    await desktop.get({ op: 'select', control: (await waitForField(1203)).handle, item: SERVER });
    await press(isNext);
    expect((await waitForField(1210)).checked).toBe(true);
    await press(isNext);
    for (const [id, text] of [
      [1220, 'Ada'],
      [1221, 'Lovelace'],
      [1222, 'ada@example.com'],
      [1223, '+441234567'],
    ] as const) {
      await desktop.get({ op: 'set', control: (await waitForField(id)).handle, text });
    }
    await desktop.get({ op: 'check', control: (await waitForField(1227)).handle, on: 1 });
    await press(isNext);
    const login = (await waitForField(1230)).text;
    const { text: password } = await waitForField(1231);
    expect(login).toMatch(/^\d+$/);
    expect(password.length).toBeGreaterThan(5);
    await folder.waitFor(`new demo account '${login}' opened on ${SERVER}`);
    await folder.waitFor(`'${login}': authorized on`);
    await press(({ id }) => id === FINISH_BUTTON);
    await folder.stop(process);
    expect(folder.lines().join('\n')).not.toContain(password);
  });
});

describe('the troubles of the stand-in terminal', () => {
  it('the troubles of the stand-in terminal are a dialog at the start that nothing closes, and an empty journal', async () => {
    const folder = new Folder();
    folder.faults('hang=1');
    folder.start();
    const dialog = await desktop.waitForWindow(({ class: name }) => name === '#32770', 'the dialog');
    await desktop.get({ op: 'close', window: dialog.handle });
    const texts = (await desktop.listControls(dialog.handle)).map(({ text }) => text);
    expect(texts.join(' ')).toContain('A debugger has been found running in your system');
    expect(folder.lines()).toEqual([]);
  });

  it('the troubles of the stand-in terminal are a modal dialog, behind which a polite stop still works', async () => {
    const folder = new Folder();
    folder.faults('dialog_title=News\r\ndialog_text=Something happened');
    const process = folder.start();
    await desktop.waitForWindow(({ title }) => title === 'News', 'the dialog');
    expect((await folder.window()).enabled).toBe(false);
    await folder.stop(process);
    expect(folder.lines().at(-1)).toContain('shutdown with 0');
  });

  it('the troubles of the stand-in terminal are an update: the process ends with 0, another one comes back with the next build', async () => {
    const folder = new Folder();
    folder.faults('live_update_dialog=1\r\nrestart_ms=300');
    const process = folder.start();
    const { handle } = await desktop.waitForWindow(({ title }) => title === 'Welcome to LiveUpdate', 'the dialog');
    const restart = find(await desktop.listControls(handle), ({ text }) => text === '&Restart');
    await desktop.get({ op: 'press', control: restart.handle });
    expect(await process.ended).toEqual({ code: 0, signal: null });
    await folder.waitFor('new version build 6001 is available');
    await folder.waitFor('build 6001 started for');
    expect(folder.pids()).toHaveLength(1);
    expect(folder.pids()).not.toContain(process.pid);
    await desktop.get({ op: 'close', window: (await folder.window()).handle });
    await waitFor(() => folder.pids().length === 0);
  });

  it('the troubles of the stand-in terminal are a crash, and a start without a window but with a normal journal', async () => {
    const crashed = new Folder();
    crashed.faults('crash_after_ms=300');
    const first = crashed.start();
    expect((await first.ended).code).not.toBe(0);
    expect(existsSync(join(crashed.path, 'config/common.ini'))).toBe(false);
    const hidden = new Folder();
    hidden.faults('windowless=1');
    hidden.start(hidden.config(loginFile('5010')));
    await hidden.waitFor("'5010': authorized on");
    expect((await desktop.listWindows()).filter(({ program }) => program === 'terminal64.exe')).toEqual([]);
  });
});
