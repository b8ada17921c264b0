// @module-tag wine
/** The stand-in terminal under real Wine: what it acts out on demand. What hosts do with it is in the tests of hosts. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { address, desktop, find, Folder, loginFile, SERVER, useStandInDesktop } from './support/stand-in-folder.ts';

useStandInDesktop();

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

it('the stand-in terminal acts out what the name of a server asks for', async () => {
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
