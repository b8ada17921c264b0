import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readBitmap } from '../src/launchers/images/bitmap.ts';
import { encodePng } from '../src/launchers/images/png.ts';
import { toCommandLine, toQuotedArgument, toXmlText } from '../src/launchers/windows/command-line.ts';
import { findPlainFile } from '../src/launchers/windows/plain-file.ts';
import {
  toCreateSessionTask,
  toSessionTaskXml,
  toKill,
  toStartSessionHelper,
  toTaskFile,
} from '../src/launchers/windows/windows-commands.ts';
import { createWindowsLauncher } from '../src/launchers/windows/windows-launcher.ts';
import {
  assertTerminalFolder,
  findFolderMistake,
  isBelow,
  isSamePath,
} from '../src/launchers/windows/windows-paths.ts';

describe('an argument on a command line of Windows', () => {
  test.each([
    ['/portable', '/portable'],
    ['', '""'],
    ['two words', '"two words"'],
    ['a\ttab', '"a\ttab"'],
    ['say "hi"', String.raw`"say \"hi\""`],
    ['"', String.raw`"\""`],
    [String.raw`C:\berth\mt5`, String.raw`C:\berth\mt5`],
    [String.raw`C:\berth\mt5` + '\\', String.raw`C:\berth\mt5` + '\\'],
    [String.raw`C:\two words` + '\\', String.raw`"C:\two words\\"`],
    [String.raw`C:\two words` + '\\\\', String.raw`"C:\two words\\\\"`],
    [String.raw`a\"b`, String.raw`"a\\\"b"`],
    [String.raw`a\\"b c\d`, String.raw`"a\\\\\"b c\d"`],
    [String.raw`/config:C:\berth.ini`, String.raw`/config:C:\berth.ini`],
    ['%PATH%^&|<>!(;)', '%PATH%^&|<>!(;)'],
    ['a & b', '"a & b"'],
    ['Grüße 漢字', '"Grüße 漢字"'],
  ])('%j is written as %s', (argument, written) => {
    expect(toQuotedArgument(argument)).toBe(written);
  });

  test('that no line can hold is refused', () => {
    for (const text of ['a\0b', 'a\nb', 'a\rb']) expect(() => toQuotedArgument(text)).toThrow('line breaks');
  });

  test('comes after the program, whose name knows no escapes', () => {
    expect(toCommandLine(String.raw`C:\berth\mt5\terminal64.exe`, ['/portable', String.raw`/config:C:\a.ini`])).toBe(
      String.raw`C:\berth\mt5\terminal64.exe /portable /config:C:\a.ini`,
    );
    expect(toCommandLine(String.raw`C:\Program Files\a.exe`, ['a b'])).toBe(String.raw`"C:\Program Files\a.exe" "a b"`);
    for (const name of ['', 'a"b.exe', 'a\nb']) expect(() => toCommandLine(name, [])).toThrow();
  });
});

describe('the commands of Windows that the agent runs', () => {
  test('are these', () => {
    expect(toStartSessionHelper()).toEqual({ file: 'schtasks.exe', args: ['/Run', '/TN', '\\Berth\\session'] });
    expect(toCreateSessionTask(String.raw`C:\berth\session.xml`)).toEqual({
      file: 'schtasks.exe',
      args: ['/Create', '/TN', '\\Berth\\session', '/XML', String.raw`C:\berth\session.xml`, '/F'],
    });
    expect(toKill(4321)).toEqual({ file: 'taskkill.exe', args: ['/F', '/T', '/PID', '4321'] });
  });
});

describe('the task of the session helper', () => {
  const task = {
    program: String.raw`C:\berth\bin\berth-window.exe`,
    folder: String.raw`C:\berth\session`,
    user: String.raw`HOST\trader`,
    starter: 'S-1-5-80-1-2-3-4-5',
  };

  test('runs in the session of its user with no more rights, from each logon on, without an end', () => {
    const xml = toSessionTaskXml(task);
    for (const part of [
      '<LogonTrigger><Enabled>true</Enabled><UserId>HOST\\trader</UserId></LogonTrigger>',
      '<LogonType>InteractiveToken</LogonType>',
      '<RunLevel>LeastPrivilege</RunLevel>',
      '<AllowStartOnDemand>true</AllowStartOnDemand>',
      '<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
      '<MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
      '<RestartOnFailure><Interval>PT1M</Interval><Count>999</Count></RestartOnFailure>',
      '<Command>C:\\berth\\bin\\berth-window.exe</Command>',
      '<Arguments>serve C:\\berth\\session</Arguments>',
      '(A;;FRFX;;;S-1-5-80-1-2-3-4-5)',
    ]) {
      expect(xml).toContain(part);
    }
  });

  test('holds names that mean something in XML', () => {
    const xml = toSessionTaskXml({ ...task, user: `R&D\\<"O'Neil">` });
    expect(xml).toContain('<UserId>R&amp;D\\&lt;&quot;O&apos;Neil&quot;&gt;</UserId>');
    expect(() => toXmlText('a\u0001')).toThrow('XML cannot hold');
    expect(() => toXmlText('\ud800')).toThrow('XML cannot hold');
    expect(toXmlText('Grüße 😀\r\n')).toBe('Grüße 😀\r\n');
  });

  test('is a file of two bytes for each unit, with their mark', () => {
    const file = toTaskFile('<a/>');
    expect([...file.subarray(0, 4)]).toEqual([0xff, 0xfe, 0x3c, 0]);
  });
});

describe('the folder of a terminal on Windows', () => {
  test.each([String.raw`C:\berth\agent\host\terminals\1b2c`, String.raw`d:\b`])('can be %s', (folder) => {
    expect(findFolderMistake(folder)).toBeUndefined();
  });

  test.each([
    String.raw`C:\Program Files\berth`,
    String.raw`\\server\share\berth`,
    '/var/lib/berth',
    'C:\\',
    'C:',
    'C:/berth',
    String.raw`C:\berth\..\x`,
    String.raw`C:\berth.\x`,
    String.raw`C:\berth\aux`,
    String.raw`C:\berth\COM1.txt\x`,
    String.raw`C:\berth\a"b`,
    String.raw`C:\berth\a%b`,
    String.raw`C:\bérth`,
    String.raw`\\?\C:\berth`,
    `C:\\${'a'.repeat(130)}`,
  ])('cannot be %s, and it says what to do', (folder) => {
    expect(findFolderMistake(folder)).toContain('Set BERTH_AGENT_DIR');
    expect(() => assertTerminalFolder(folder)).toThrow('Set BERTH_AGENT_DIR');
  });

  test('is compared without regard to case', () => {
    expect(isSamePath(String.raw`C:\A\b.EXE`, String.raw`c:\a\B.exe`)).toBe(true);
    expect(isBelow(String.raw`C:\A\b`, String.raw`c:\a`)).toBe(true);
    expect(isBelow(String.raw`C:\Ab`, String.raw`c:\a`)).toBe(false);
  });
});

describe('a box on Windows', () => {
  const launcher = createWindowsLauncher({
    sessionFolder: '/c/berth/session',
    limits: { memoryMb: 0, processes: 0, cpuPercent: 0 },
    toWindowsPath: (path) => path.replace('/c/', 'C:\\').replaceAll('/', '\\'),
  });

  test('calls its files as every program of the machine does', () => {
    const box = launcher.toBox('/c/berth/hosts/1');
    expect(box.toInside(join(box.home, 'mt5/config/common.ini'))).toBe(
      String.raw`C:\berth\hosts\1\home\mt5\config\common.ini`,
    );
    for (const path of ['/c/berth/hosts/1', box.home, '/c/secret', join(box.home, '../../2/x')]) {
      expect(() => box.toInside(path)).toThrow('not in the terminal');
    }
  });

  test('is not filled where a path has a space', async () => {
    const box = launcher.toBox('/c/my hosts/1');
    await expect(launcher.install(box, '/c/base')).rejects.toMatchObject({ name: 'LauncherError', kind: 'missing' });
  });
});

describe('an image', () => {
  const toBitmap = (height: number, { bits = 32, compression = 0 } = {}): Buffer => {
    const file = Buffer.alloc(54 + 2 * 2 * 4);
    file.write('BM', 'latin1');
    file.writeUInt32LE(54, 10);
    file.writeUInt32LE(40, 14);
    file.writeInt32LE(2, 18);
    file.writeInt32LE(height, 22);
    file.writeUInt16LE(bits, 28);
    file.writeUInt32LE(compression, 30);
    // The rows as they lie in the file, blue first.
    [1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 10, 11, 12, 0].forEach((byte, index) => file.writeUInt8(byte, 54 + index));
    return file;
  };

  test.each([
    ['from below', 2, [9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4]],
    ['from above', -2, [3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10]],
  ])('whose rows come %s becomes a PNG', async (_, height, rgb) => {
    const pixels = readBitmap(toBitmap(height))!;
    expect([...pixels.rgb]).toEqual(rgb);
    const png = PNG.sync.read(await encodePng(pixels));
    expect([png.width, png.height]).toEqual([2, 2]);
    expect([...png.data].filter((_byte, index) => index % 4 !== 3)).toEqual(rgb);
  });

  test('that is not what it says, or larger than any screen, is none', () => {
    const odd = [
      Buffer.alloc(0),
      Buffer.from('BM'),
      Buffer.alloc(100),
      toBitmap(3),
      toBitmap(-2_147_483_648),
      toBitmap(0),
      toBitmap(2, { bits: 24 }),
      toBitmap(2, { compression: 1 }),
      toBitmap(2).subarray(0, 60),
    ];
    expect(odd.map((file) => readBitmap(file))).toEqual(odd.map(() => undefined));
  });
});

describe('a file that somebody else may have written', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-plain-file-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test('is read when it is plain, and short', async () => {
    const path = join(folder, 'a');
    expect(await findPlainFile(path, 3)).toBeUndefined();
    await writeFile(path, 'abc');
    expect((await findPlainFile(path, 3, { isRemoved: true }))?.toString()).toBe('abc');
    expect(await findPlainFile(path, 3)).toBeUndefined();
    await writeFile(path, 'abcd');
    await expect(findPlainFile(path, 3)).rejects.toThrow('longer than 3 bytes');
  });

  test('is neither followed nor entered', async () => {
    await symlink('/etc/passwd', join(folder, 'link'));
    await mkdir(join(folder, 'folder'));
    await expect(findPlainFile(join(folder, 'link'), 1e6)).rejects.toThrow('is a link');
    await expect(findPlainFile(join(folder, 'folder'), 1e6)).rejects.toThrow('is not a file');
  });
});
