/** How a terminal gets the link program: what a start puts into its folder, and what it leaves alone. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TaskType } from '@berth/contract';
import { ConfinedFiles, createLogger } from '@berth/kit';
import { describe, expect, test } from 'vitest';
import { openPlatformBases } from '../src/bases/bases.ts';
import { createProcessLauncher } from '../src/launchers/process/process-launcher.ts';
import { createPlatformRegistry } from '../src/platform-registry.ts';
import { RealEdition, realPrograms } from '../src/platforms/metatrader/editions/real/real-edition.ts';
import { SandboxEdition } from '../src/platforms/metatrader/editions/sandbox/sandbox-edition.ts';
import { decodeText, encodeText, type TextEncoding } from '../src/platforms/metatrader/files/text-file.ts';
import { mt4Link, mt5Link, type LinkProgram } from '../src/platforms/metatrader/link/link-form.ts';
import { prepareLink } from '../src/platforms/metatrader/link/prepare-link.ts';
import { readCompilerLog, readLinkSource } from '../src/commands/prepare-base/compile-link.ts';
import { addBase } from './support/base-records.ts';
import { useSandboxHost, type TestTerminal } from './support/sandbox-host.ts';
import { useFolder } from './support/use-folder.ts';

let folder: string;
let root: string;
useFolder((created) => {
  folder = created;
  root = join(folder, 'drive_c/mt5');
  mkdirSync(root, { recursive: true });
});

const put = (path: string, content: string | Buffer, below = root): void => {
  mkdirSync(dirname(join(below, path)), { recursive: true });
  writeFileSync(join(below, path), content);
};
const read = (path: string): Buffer => readFileSync(join(root, path));

const [SERVICE, EXPERT] = mt5Link.programs.map(({ path }) => path) as [string, string];
const toProgram = (version: string): LinkProgram => ({
  version,
  files: [SERVICE, EXPERT].map((path) => ({ path, content: Buffer.from(`${path} ${version}`) })),
});

const prepare = (program?: LinkProgram, form = mt5Link): Promise<void> => {
  const home = join(folder, 'drive_c');
  return prepareLink(new ConfinedFiles({ anchor: folder, home, root }), form, async () => program);
};

test('a start puts the program into a terminal that has none, and replaces another version of it', async () => {
  await prepare(toProgram('1.0.0'));
  expect(read(SERVICE).toString()).toBe(`${SERVICE} 1.0.0`);
  await prepare(toProgram('1.1.0'));
  expect(read(SERVICE).toString()).toBe(`${SERVICE} 1.1.0`);
  expect(read(EXPERT).toString()).toBe(`${EXPERT} 1.1.0`);
  const { ino } = statSync(join(root, SERVICE));
  await prepare(toProgram('1.1.0'));
  expect(statSync(join(root, SERVICE)).ino).toBe(ino);
});

test('a start makes the exchange folder, without the commands and answers of the last run', async () => {
  const id = '0a0a0a0a-0000-4000-8000-000000000000';
  put(`MQL5/Files/Berth/commands/${id}.json`, '{}');
  put(`MQL5/Files/Berth/commands/${id}.begun`, '{}');
  put(`MQL5/Files/Berth/answers/${id}.json`, '{}');
  put('MQL5/Files/Berth/account.json', '{"sequence":7}');
  put('MQL5/Files/mine.csv', 'kept');
  await prepare();
  for (const name of ['commands', 'answers']) expect(readdirSync(join(root, 'MQL5/Files/Berth', name))).toEqual([]);
  // The program counts on from there.
  expect(read('MQL5/Files/Berth/account.json').toString()).toBe('{"sequence":7}');
  expect(read('MQL5/Files/mine.csv').toString()).toBe('kept');
  // A host without the program changes nothing else.
  expect(existsSync(join(root, SERVICE))).toBe(false);
  expect(existsSync(join(root, 'config/services.ini'))).toBe(false);
});

test('a start of MetaTrader 4 puts it among the experts, and knows no services', async () => {
  const [path] = mt4Link.programs.map((program) => program.path);
  await prepare({ version: '1.0.0', files: [{ path: path!, content: Buffer.from('x') }] }, mt4Link);
  expect(read('MQL4/Experts/Berth/BerthLink.ex4').toString()).toBe('x');
  expect(existsSync(join(root, 'config'))).toBe(false);
  expect(readdirSync(join(root, 'MQL4/Files/Berth')).sort()).toEqual(['answers', 'commands']);
});

test('a start follows no link out of the folder, neither to write nor to remove', async () => {
  const outside = join(folder, 'outside');
  put('precious.json', 'kept', outside);
  mkdirSync(join(root, 'MQL5/Files/Berth'), { recursive: true });
  symlinkSync(outside, join(root, 'MQL5/Files/Berth/commands'));
  await expect(prepare(toProgram('1.0.0'))).rejects.toThrow();
  expect(readdirSync(outside)).toEqual(['precious.json']);
  rmSync(join(root, 'MQL5/Files/Berth/commands'));
  mkdirSync(dirname(join(root, SERVICE)), { recursive: true });
  symlinkSync(join(outside, 'precious.json'), join(root, SERVICE));
  await prepare(toProgram('1.0.0'));
  expect(readFileSync(join(outside, 'precious.json'), 'utf8')).toBe('kept');
  expect(read(SERVICE).toString()).toBe(`${SERVICE} 1.0.0`);
});

const OTHER =
  '\r\n<service>\r\nname=Mine\r\npath=Services\\Mine.ex5\r\nexpertmode=5\r\nenabled=0\r\n<inputs>\r\n=====\r\npath=x\r\n</inputs>\r\n</service>\r\n';
const OURS = 'name=BerthLink\r\npath=Services\\Berth\\BerthLink.ex5\r\nexpertmode=33\r\nenabled=1\r\n';
const text = (): string => decodeText(read('config/services.ini')).text;

test('the list of services is made where there is none, in the terminal’s own encoding', async () => {
  await prepare(toProgram('1.0.0'));
  expect(read('config/services.ini').subarray(0, 2)).toEqual(Buffer.from([0xff, 0xfe]));
  expect(text()).toBe(`<service>\r\n${OURS}<inputs>\r\n</inputs>\r\n</service>\r\n`);
});

test.each<[string, TextEncoding, string]>([
  ['in UTF-16', 'utf16le', OTHER],
  ['in UTF-8', 'utf8', OTHER.replaceAll('\r\n', '\n')],
  ['without a last line end', 'utf16le', OTHER.trimEnd()],
])('the list of services keeps every other entry byte for byte: %s', async (_, encoding, other) => {
  put('config/services.ini', encodeText({ text: other, encoding }));
  await prepare(toProgram('1.0.0'));
  expect(text().startsWith(other)).toBe(true);
  const added = text();
  expect(added).toContain('Berth');
  await prepare(toProgram('1.0.0'));
  expect(text()).toBe(added);
});

test('the list of services has our entry switched on again, and nothing else of it touched', async () => {
  const ours = `<service>\r\n${OURS.replace('enabled=1', 'enabled=0').replace('33', '7')}odd=kept\r\n<inputs>\r\nenabled=0\r\n</inputs>\r\n</service>\r\n`;
  put('Config/services.ini', encodeText({ text: OTHER + ours, encoding: 'utf16le' }));
  await prepare(toProgram('1.0.0'));
  expect(decodeText(read('Config/services.ini')).text).toBe(
    OTHER + ours.replace('expertmode=7\r\nenabled=0', 'expertmode=7\r\nenabled=1'),
  );
  expect(readdirSync(root)).not.toContain('config');
});

const bases = (): string => join(folder, 'bases');
const addCompiled = async (name: string, version: string | undefined): Promise<string> => {
  await addBase(bases(), 'mt5', name, version === undefined ? {} : { link: { version } });
  const installation = join(bases(), 'mt5', name, 'prefix/drive_c/mt5');
  for (const path of [SERVICE, EXPERT]) put(path, `${name} ${path}`, installation);
  return installation;
};
const findProgram = () =>
  new RealEdition({ program: realPrograms.mt5, bases: openPlatformBases(bases(), 'mt5') }).findLinkProgram();

test('the compiled program of a host is that of the base with the newest version, compared as numbers', async () => {
  expect(await findProgram()).toBeUndefined();
  await addCompiled('none', undefined);
  await addCompiled('old', '1.9.0');
  await addCompiled('new', '1.10.0');
  const program = await findProgram();
  expect(program?.version).toBe('1.10.0');
  expect(program?.files.map(({ path, content }) => [path, content.toString()])).toEqual(
    [SERVICE, EXPERT].map((path) => [path, `new ${path}`]),
  );
});

test('the compiled program of a host is never what a link in a base leads to', async () => {
  const installation = await addCompiled('base', '1.0.0');
  put('secret', 'of the host', folder);
  rmSync(join(installation, SERVICE));
  symlinkSync(join(folder, 'secret'), join(installation, SERVICE));
  await expect(findProgram()).rejects.toThrow(/BerthLink\.ex5/);
});

test('the log of a compiler says whether it succeeded, in UTF-16, and nothing else does', () => {
  const log = (text: string) => readCompilerLog(encodeText({ text, encoding: 'utf16le' }));
  const compiling = 'C:\\mt5\\x.mq5 : information: compiling "x.mq5"\r\n';
  expect(log(`${compiling}Result: 0 errors, 2 warnings, 312 ms elapsed, cpu='X64 Regular'\r\n`)).toEqual({
    isFine: true,
    errors: [],
  });
  const failed = log(
    `${compiling}C:\\mt5\\x.mq5(3,1) : error 106: file not found\u001b[2J\r\nResult: 10 errors, 0 warnings\r\n`,
  );
  expect(failed).toEqual({ isFine: false, errors: ['C:\\mt5\\x.mq5(3,1) : error 106: file not found [2J'] });
  expect(log(compiling).isFine).toBe(false);
  expect(readCompilerLog(Buffer.alloc(0)).isFine).toBe(false);
});

test('the source names its version, and all files that it is made of', async () => {
  const { version, files } = await readLinkSource(fileURLToPath(new URL('../../link/src', import.meta.url)));
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  const names = files.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([...mt5Link.programs, ...mt4Link.programs].map(({ source }) => source)));
  const included = files.flatMap(({ content }) =>
    [...content.toString().matchAll(/#include "(.+?)"/g)].map((match) => match[1]),
  );
  expect(names).toEqual(expect.arrayContaining(included));
  // MetaEditor reads a file without a mark in the machine's own code page.
  for (const { content } of files) expect(content.every((byte) => byte < 128)).toBe(true);
});

describe('a terminal of a host', () => {
  const host = useSandboxHost();

  /** The same terminal, on a host whose bases have this program. */
  const openOn = async (terminal: TestTerminal, findLinkProgram: () => Promise<LinkProgram | undefined>) => {
    const edition = Object.assign(
      new SandboxEdition({
        programFolder: fileURLToPath(new URL('../../sandbox/dist', import.meta.url)),
        baseFolder: join(host.folder, 'bases'),
        networkFile: host.networkFile,
      }),
      { findLinkProgram },
    );
    const offers = [{ edition, launcher: createProcessLauncher() }];
    const log = createLogger({ name: 'test', level: 'silent' });
    const registry = createPlatformRegistry({ folder: join(host.folder, 'terminals'), offers, log });
    terminal.driver.detach();
    terminal.driver = await registry.open({ id: terminal.id, platform: 'sandbox' });
    terminal.listen();
  };

  test('a terminal of a host that exists already gets the program at its next start, and starts where that fails', async () => {
    const terminal = await host.createTerminal();
    expect((await terminal.install()).kind).toBe('completed');
    const installation = host.toRoot(terminal);
    expect(existsSync(join(installation, SERVICE))).toBe(false);
    const command = join(installation, 'MQL5/Files/Berth/commands/0a0a0a0a-0000-4000-8000-000000000000.json');
    writeFileSync(command, '{}');
    const logIn = () => terminal.run(TaskType.ACCOUNT_LOGIN, {}, { secrets: { password: terminal.account.password } });
    await openOn(terminal, async () => toProgram('1.0.0'));
    expect(await logIn()).toMatchObject({ kind: 'completed' });
    expect(readFileSync(join(installation, SERVICE), 'utf8')).toBe(`${SERVICE} 1.0.0`);
    expect(existsSync(command)).toBe(false);
    writeFileSync(command, '{}');
    await openOn(terminal, () => Promise.reject(new Error('the disk of the base is gone')));
    expect(await logIn()).toMatchObject({ kind: 'completed' });
    expect(existsSync(command)).toBe(false);
    expect(readFileSync(join(installation, SERVICE), 'utf8')).toBe(`${SERVICE} 1.0.0`);
  });
});
