// @module-tag wine
/** The window program, by which hosts operate dialogs, on programs that nobody here wrote: they come with Wine. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProcesses, waitFor, type SpawnedProcess } from '@berth/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openDesktop, readAnswers, type Control, type Desktop, type WindowsWindow } from './support/desktop.ts';
import { windowProgram } from './support/windows-programs.ts';

let desktop: Desktop;
const started: SpawnedProcess[] = [];

/** By its whole path: a bare name is started by a program of Wine's, and the process is another one. */
const start = (program: string): SpawnedProcess => {
  const process = desktop.start(`C:\\windows\\system32\\${program}`);
  started.push(process);
  return process;
};

const openWindow = async (program: string, title: string): Promise<WindowsWindow & { process: SpawnedProcess }> => {
  const process = start(program);
  const window = await desktop.waitForWindow((candidate) => candidate.title === title, `the window of ${program}`);
  return { ...window, process };
};

const getControl = async (window: string, fits: (control: Control) => boolean): Promise<Control> => {
  const control = (await desktop.listControls(window)).find(fits);
  if (!control) throw new Error('there is no such control');
  return control;
};

beforeAll(async () => {
  desktop = await openDesktop();
});
afterEach(async () => {
  for (const { child, ended } of started.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});
afterAll(async () => {
  await desktop.close();
  await endProcesses();
});

it('the window program is small, and lies beside its checksum', () => {
  expect(statSync(windowProgram).size).toBeLessThan(100_000);
  const sum = createHash('sha256').update(readFileSync(windowProgram)).digest('hex');
  expect(readFileSync(`${windowProgram}.sha256`, 'utf8')).toBe(`${sum}  berth-window.exe\n`);
});

it('the window program lists the windows of all programs', async () => {
  const notepad = await openWindow('notepad.exe', 'Untitled - Notepad');
  expect(notepad).toMatchObject({
    class: 'Notepad',
    enabled: true,
    owner: null,
    program: 'notepad.exe',
    hung: false,
  });
  expect(notepad.rect[2]).toBeGreaterThan(100);
  const mine = await openWindow('winemine.exe', 'WineMine');
  expect(mine.pid).not.toBe(notepad.pid);
});

it('the window program sets a text, with letters of any language, and reads it back', async () => {
  const { handle } = await openWindow('notepad.exe', 'Untitled - Notepad');
  const field = await getControl(handle, (control) => control.class === 'Edit');
  const text = 'Grüße, "日本"\\ 😀\r\nsecond line\t.';
  expect(await desktop.get({ op: 'set', control: field.handle, text })).toEqual({ ok: true, text });
  expect((await getControl(handle, (control) => control.class === 'Edit')).text).toBe(text);
});

it('the window program asks a window to close, and operates the dialog that comes in between', async () => {
  const { handle, process } = await openWindow('notepad.exe', 'Untitled - Notepad');
  const field = await getControl(handle, (control) => control.class === 'Edit');
  await desktop.get({ op: 'set', control: field.handle, text: 'unsaved' });
  await desktop.get({ op: 'close', window: handle });
  const dialog = await desktop.waitForWindow(({ owner }) => owner === handle, 'the question whether to save');
  expect(dialog.class).toBe('#32770');
  const [refused] = await desktop.ask({ op: 'command', window: handle, id: 1 });
  expect(refused).toMatchObject({ ok: false, error: 'failed', message: expect.stringContaining('dialog') });
  const [unset] = await desktop.ask({ op: 'set', control: field.handle, text: 'x' });
  expect(unset).toMatchObject({ ok: false, error: 'failed' });
  const no = await getControl(dialog.handle, ({ id }) => id === 7);
  await desktop.get({ op: 'press', control: no.handle });
  expect(await process.ended).toEqual({ code: 0, signal: null });
});

it('the window program presses keys together, and reads the clipboard', async () => {
  const { handle } = await openWindow('notepad.exe', 'Untitled - Notepad');
  const field = await getControl(handle, (control) => control.class === 'Edit');
  // Again until it is there: a window that is still being shown takes no keys, and one program at a time has the clipboard.
  const copy = async () => {
    await desktop.ask({ op: 'set', control: field.handle, text: 'to be copied' });
    await desktop.ask({ op: 'key', window: handle, keys: 'ctrl+a' });
    await desktop.ask({ op: 'key', window: handle, keys: 'ctrl+c' });
    const [answer] = await desktop.ask({ op: 'clipboard' });
    return answer?.text === 'to be copied';
  };
  await waitFor(copy, { what: 'the clipboard' });
});

it('the window program reads tabs and lists, and changes the page, the box and the choice', async () => {
  const { handle } = await openWindow('winecfg.exe', 'Wine configuration');
  const list = await getControl(handle, (control) => control.class === 'SysListView32');
  expect(list).toMatchObject({ items: ['Default Settings'], selected: 0 });
  const version = await getControl(handle, ({ class: name, items }) => name === 'ComboBox' && items !== undefined);
  expect(version).toMatchObject({ text: 'Windows 10', selected: version.items!.indexOf('Windows 10') });
  const chosen = await desktop.get({ op: 'select', control: version.handle, item: 'Windows 7' });
  expect(chosen.selected).toBe(version.items!.indexOf('Windows 7'));
  expect((await getControl(handle, (control) => control.handle === version.handle)).text).toBe('Windows 7');

  const tabs = await getControl(handle, (control) => control.class === 'SysTabControl32');
  expect(tabs.items).toContain('Graphics');
  await desktop.get({ op: 'select', control: tabs.handle, item: 'Graphics' });
  const box = await waitFor(
    async () => (await desktop.listControls(handle)).find(({ checked, visible }) => checked === false && visible),
    { what: 'a check box on the other page' },
  );
  expect((await desktop.get({ op: 'check', control: box.handle, on: 1 })).checked).toBe(true);
  expect((await getControl(handle, (control) => control.handle === box.handle)).checked).toBe(true);
  expect((await desktop.get({ op: 'check', control: box.handle, on: 0 })).checked).toBe(false);
  const missing = await desktop.ask({ op: 'select', control: tabs.handle, item: 'No such page' });
  expect(missing).toMatchObject([{ ok: false, error: 'failed', message: 'The list has no such item.' }]);
});

it('the window program gives a window another size', async () => {
  const { handle } = await openWindow('notepad.exe', 'Untitled - Notepad');
  const { rect } = await desktop.get({ op: 'resize', window: handle, width: 701, height: 402 });
  expect((rect as number[]).slice(2)).toEqual([701, 402]);
  const found = await desktop.waitForWindow((window) => window.handle === handle, 'the window');
  expect(found.rect.slice(2)).toEqual([701, 402]);
});

it('the window program says of a hung window that it hangs, and waits for it no longer than it must', async () => {
  const { handle, process } = await openWindow('notepad.exe', 'Untitled - Notepad');
  process.kill('SIGSTOP');
  const hung = await desktop.waitForWindow((window) => window.handle === handle, 'the hung window');
  expect(hung).toMatchObject({ title: 'Untitled - Notepad', hung: true });
  for (const request of [
    { op: 'controls', window: handle },
    { op: 'command', window: handle, id: 1 },
    { op: 'key', window: handle, keys: 'f5' },
    { op: 'resize', window: handle, width: 400, height: 300 },
  ]) {
    expect(await desktop.ask(request)).toMatchObject([{ ok: false, error: 'timeout' }]);
  }
  await desktop.get({ op: 'close', window: handle });
  process.kill('SIGCONT');
  expect(await process.ended).toEqual({ code: 0, signal: null });
});

it('what the window program is asked is done in order, up to the first request that is refused', async () => {
  const answers = await desktop.ask({ op: 'windows' }, { op: 'close', window: 'fffffff0' }, { op: 'windows' });
  expect(answers).toMatchObject([{ ok: true }, { ok: false, error: 'no_window' }]);
});

it.each([
  ['{"op":"windows"', 'invalid_request'],
  ['[1]', 'invalid_request'],
  ['{"op":{"a":1}}', 'invalid_request'],
  ['{"window":"1"}', 'invalid_request'],
  ['{"op":"windows"} x', 'invalid_request'],
  ['{"op":"a\\u0000b"}', 'invalid_request'],
  ['{"op":"\\ud83d', 'invalid_request'],
  [`{"op":"${'x'.repeat(4097)}"}`, 'invalid_request'],
  [`{${Array.from({ length: 9 }, (_, index) => `"k${index}":1`).join(',')}}`, 'invalid_request'],
  ['{"op":"format"}', 'unknown_operation'],
  ['{"op":"controls"}', 'no_window'],
  ['{"op":"controls","window":"12345678901234567"}', 'no_window'],
  ['{"op":"press","control":"zz"}', 'no_control'],
  ['{"op":"set","control":"1"}', 'invalid_request'],
  ['{"op":"edit","control":"1","item":0}', 'invalid_request'],
  ['{"op":"activate","control":"1"}', 'no_control'],
  ['{"op":"check","control":"1","on":2}', 'invalid_request'],
  ['{"op":"key","window":"1","keys":"ctrl+plop"}', 'invalid_request'],
  ['{"op":"resize","window":"1","width":0,"height":99999}', 'invalid_request'],
])('what the window program is asked is refused where it is wrong: %.60s', async (line, error) => {
  expect(await desktop.ask(line)).toMatchObject([{ ok: false, error }]);
});

it('what the window program is asked gets texts of 4,096 characters at most, and an answer of 256 kB at most', async () => {
  const { handle } = await openWindow('notepad.exe', 'Untitled - Notepad');
  const field = await getControl(handle, (control) => control.class === 'Edit');
  const text = '日'.repeat(4096);
  await desktop.get({ op: 'set', control: field.handle, text });
  await desktop.get({ op: 'key', window: handle, keys: 'end' });
  const question = { op: 'controls', window: handle };
  const answers = await desktop.ask(...Array.from({ length: 600 }, () => question));
  expect((answers[0]?.controls as Control[])[0]?.text).toBe(text);
  expect(answers.some(({ ok, truncated }) => ok && truncated === true)).toBe(true);
  expect(answers.at(-1)).toMatchObject({ ok: false, error: 'failed', message: expect.stringContaining('256 kB') });
  expect(Buffer.byteLength(JSON.stringify(answers))).toBeLessThan(256 * 1024);
});

it('what the window program is asked ends with a code of its own where no answer can be written', async () => {
  const run = async (...args: string[]): Promise<number | null> =>
    (await desktop.start('C:\\berth\\berth-window.exe', args).ended).code;
  expect(await run('C:\\berth\\ask\\none.req')).toBe(2);
  expect(await run('C:\\berth\\ask\\none.req', 'C:\\berth\\ask\\none.ans')).toBe(1);
  expect(await run('C:\\berth\\ask\\1.req', 'C:\\nowhere\\1.ans')).toBe(1);
  expect(await run('C:\\berth\\ask\\1.req', 'C:\\berth\\ask\\once.ans')).toBe(0);
  expect(readAnswers(join(desktop.driveC, 'berth/ask/once.ans'))).toHaveLength(1);
});

it('what the window program is asked says of each line whether it was answered while it stays, passes over wrong ones, and ends with its input', async () => {
  const folder = join(desktop.driveC, 'berth/ask');
  const toLine = (request: string, answer: string) => `C:\\berth\\ask\\${request}\tC:\\berth\\ask\\${answer}\n`;
  writeFileSync(join(folder, 'line.req'), '{"op":"windows"}\n');
  const wrong = [
    '\n',
    'no second file\n',
    `${'x'.repeat(5000)}\n`,
    `${'y'.repeat(8192)}\tz\n`,
    toLine('none.req', 'none.ans'),
  ];
  const program = desktop.stay('pipe');
  program.child.stdin!.write([...wrong, toLine('line.req', 'first.ans')].join(''));
  await waitFor(() => program.output === '0\n1\n', { what: 'a word about two lines' });
  const line = toLine('line.req', 'second.ans');
  program.child.stdin!.write(line.slice(0, 9));
  program.child.stdin!.write(line.slice(9));
  await waitFor(() => program.output === '0\n1\n1\n', { what: 'a word about the third' });
  program.child.stdin!.end();
  expect((await program.ended).code).toBe(0);
  for (const name of ['first.ans', 'second.ans']) expect(readAnswers(join(folder, name))).toMatchObject([{ ok: true }]);
  expect(existsSync(join(folder, 'none.ans'))).toBe(false);
});
