import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfinedFiles, MAX_TEXT_BYTES, UnsafeFileError } from '../src/index.ts';

let top: string;
let home: string;
let outside: string;
let files: ConfinedFiles;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'berth-inside-'));
  home = join(top, 'box', 'drive_c');
  outside = join(top, 'outside');
  mkdirSync(join(home, 'mt5'), { recursive: true });
  mkdirSync(join(outside, 'config'), { recursive: true });
  writeFileSync(join(outside, 'secret'), 'SECRET');
  writeFileSync(join(outside, 'config', 'common.ini'), 'SECRET');
  files = new ConfinedFiles({ anchor: join(top, 'box'), home, root: join(home, 'mt5') });
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const at = (path: string): string => {
  mkdirSync(dirname(join(home, 'mt5', path)), { recursive: true });
  return join(home, 'mt5', path);
};
const countDescriptors = (): number => readdirSync('/proc/self/fd').length;

test('confined files are written, read, emptied and removed, their folders made', async () => {
  expect(await files.findBytes('a/b/c.txt')).toBeUndefined();
  await files.replaceFile('a/b\\c.txt', 'one', { mode: 0o644 });
  await files.replaceFile('a/b/c.txt', 'two', { mode: 0o644 });
  expect((await files.findBytes('a/b/c.txt'))?.toString()).toBe('two');
  expect(statSync(at('a/b/c.txt')).mode & 0o777).toBe(0o644);
  expect([await files.hasFile('a/b/c.txt'), await files.hasFile('a/b')]).toEqual([true, false]);
  await files.emptyFile('a/b/c.txt');
  expect(readFileSync(at('a/b/c.txt'), 'utf8')).toBe('');
  await files.removeFile('a/b/c.txt');
  await files.removeFile('a/b/c.txt');
  await files.removeFile('nowhere/c.txt');
  await expect(files.emptyFile('a/b/c.txt')).rejects.toThrow('ENOENT');
  expect(readdirSync(at('a/b'))).toEqual([]);
});

test('confined files are found in whatever case they are spelt, and no second spelling is made', async () => {
  writeFileSync(at('Config/Common.INI'), 'here');
  expect((await files.findBytes('config/common.ini'))?.toString()).toBe('here');
  await files.replaceFile('CONFIG/common.ini', 'there');
  expect(readFileSync(at('Config/Common.INI'), 'utf8')).toBe('there');
  await (await files.ensureFolder('config/new')).close();
  expect(readdirSync(join(home, 'mt5'))).toEqual(['Config']);
  expect(readdirSync(at('Config')).sort()).toEqual(['Common.INI', 'new']);
});

test('confined files are not reached by a path that climbs or ends early', async () => {
  for (const path of ['../berth.ini', 'a/../../x', '..', 'a\0b', 'none/..', '']) {
    await expect(files.findBytes(path)).rejects.toThrow(UnsafeFileError);
    await expect(files.replaceFile(path, 'x')).rejects.toThrow(UnsafeFileError);
  }
  expect(() => new ConfinedFiles({ anchor: home, home, root: top })).toThrow('must not climb');
});

test('confined files leave no descriptor open, whatever is asked for', async () => {
  writeFileSync(at('config/common.ini'), 'x');
  symlinkSync('/etc', at('link'));
  const before = countDescriptors();
  for (const path of ['config/common.ini', 'config/none', 'none/none', 'link/passwd', 'link']) {
    await files.findBytes(path).catch(() => {});
    await files.replaceFile(path, 'y').catch(() => {});
    await files.removeFile(path).catch(() => {});
    await files.emptyFile(path).catch(() => {});
    await (await files.findFolder(path).catch(() => undefined))?.close();
  }
  expect(countDescriptors()).toBe(before);
});

test(
  'confined files belong to whom the home belongs, their folders too, where we are root',
  { tags: ['root'] },
  async () => {
    chownSync(home, 54_321, 54_322);
    await files.replaceFile('MQL5/Experts/a.ex5', 'x');
    for (const path of ['MQL5', 'MQL5/Experts', 'MQL5/Experts/a.ex5']) {
      expect([path, statSync(at(path)).uid, statSync(at(path)).gid]).toEqual([path, 54_321, 54_322]);
    }
  },
);

describe('what a hostile program puts in the place of a file', () => {
  const refused = async (path: string): Promise<void> => {
    await expect(files.findBytes(path)).rejects.toThrow(UnsafeFileError);
    await expect(files.emptyFile(path)).rejects.toThrow(UnsafeFileError);
  };

  test('a link is not followed: not read, not emptied, replaced and removed itself', async () => {
    symlinkSync(join(outside, 'secret'), at('link'));
    await refused('link');
    expect(await files.hasFile('link')).toBe(false);
    await files.replaceFile('link', 'mine');
    expect((await files.findBytes('link'))?.toString()).toBe('mine');
    symlinkSync(join(outside, 'secret'), at('other'));
    await files.removeFile('other');
    expect(existsSync(at('other'))).toBe(false);
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('SECRET');
  });

  test.each(['drive_c', 'drive_c/mt5', 'drive_c/mt5/config'])(
    'a link instead of the folder %s leads nowhere',
    async (name) => {
      rmSync(join(top, 'box', name), { recursive: true, force: true });
      mkdirSync(dirname(join(top, 'box', name)), { recursive: true });
      mkdirSync(join(outside, 'mt5', 'config'), { recursive: true });
      symlinkSync(name.endsWith('config') ? join(outside, 'config') : outside, join(top, 'box', name));
      await refused('config/common.ini');
      await expect(files.replaceFile('config/common.ini', 'mine')).rejects.toThrow(UnsafeFileError);
      await expect(files.removeFile('config/common.ini')).rejects.toThrow(UnsafeFileError);
      await expect(files.ensureFolder('config/deeper')).rejects.toThrow(UnsafeFileError);
      await expect(files.findFolder('config')).rejects.toThrow(UnsafeFileError);
      expect(readFileSync(join(outside, 'config', 'common.ini'), 'utf8')).toBe('SECRET');
      expect(readdirSync(join(outside, 'config'))).toEqual(['common.ini']);
    },
  );

  test('a FIFO keeps nobody waiting, a socket and a folder are no files', async () => {
    execFileSync('mkfifo', [at('fifo')]);
    const server = createServer().listen(at('socket'));
    await once(server, 'listening');
    mkdirSync(at('folder'));
    try {
      for (const path of ['fifo', 'socket', 'folder']) await refused(path);
      await files.replaceFile('fifo', 'mine');
      expect((await files.findBytes('fifo'))?.toString()).toBe('mine');
      await expect(files.replaceFile('folder', 'mine')).rejects.toThrow(UnsafeFileError);
      await expect(files.removeFile('folder')).rejects.toThrow(UnsafeFileError);
      expect(readdirSync(join(home, 'mt5')).sort()).toEqual(['fifo', 'folder', 'socket']);
    } finally {
      server.close();
    }
  });

  test('a device is not read', { tags: ['root'] }, async () => {
    execFileSync('mknod', [at('zero'), 'c', '1', '5']);
    await refused('zero');
  });

  test('a file of several names, one of which may be outside, is neither read nor emptied', async () => {
    linkSync(join(outside, 'secret'), at('hard'));
    await refused('hard');
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('SECRET');
  });

  test('a file of a terabyte is refused before it is read', async () => {
    writeFileSync(at('big'), '');
    truncateSync(at('big'), 2 ** 40);
    await expect(files.findBytes('big')).rejects.toThrow(`larger than ${MAX_TEXT_BYTES} bytes`);
    await expect(files.findBytes('big', 32 * 1024 * 1024)).rejects.toThrow(UnsafeFileError);
  });

  test('a folder of very many names is looked at in part; an exact name is found in it all the same', async () => {
    execFileSync('sh', ['-c', 'seq 60000 | xargs touch'], { cwd: dirname(at('many/x')) });
    writeFileSync(at('many/Exact.ini'), 'found');
    const folder = await files.findFolder('many');
    const { names, isWhole } = await folder!.listNames();
    await folder!.close();
    expect([names.length, isWhole]).toEqual([10_000, false]);
    expect((await files.findBytes('many/Exact.ini'))?.toString()).toBe('found');
    await files.replaceFile('many/new.ini', 'made');
    expect(readFileSync(at('many/new.ini'), 'utf8')).toBe('made');
  });
});

/** Processes that swap folders and files for links, and back, as fast as they can. */
describe('while a hostile program swaps what stands there', () => {
  const swappers: ChildProcess[] = [];
  afterEach(async () => {
    for (const swapper of swappers.splice(0)) {
      const ended = once(swapper, 'exit');
      swapper.kill('SIGKILL');
      await ended;
    }
  });

  /** @param script runs again and again with these arguments */
  const swap = (script: string, ...args: string[]): void => {
    const program = `
      const fs = require('node:fs');
      const [a, b, c] = process.argv.slice(1);
      const attempt = (act) => { try { act(); } catch {} };
      for (;;) { ${script} }`;
    swappers.push(spawn(process.execPath, ['-e', program, ...args], { stdio: 'ignore' }));
  };
  const untilRefusedAndServed = async (act: () => Promise<boolean>): Promise<void> => {
    for (
      let refused = 0, served = 0, round = 0;
      round < 1000 && (refused < 5 || served < 5 || round < 200);
      round += 1
    ) {
      try {
        if (await act()) served += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(UnsafeFileError);
        refused += 1;
      }
    }
  };

  test.each(['drive_c', 'drive_c/mt5', 'drive_c/mt5/config'])(
    '%s: nothing outside is read or written',
    async (name) => {
      const place = join(top, 'box', name);
      mkdirSync(join(home, 'mt5/config'), { recursive: true });
      writeFileSync(join(home, 'mt5/config/common.ini'), 'inside');
      // What the link leads to looks just like what it replaces.
      const lookalike = name.endsWith('config') ? join(outside, 'config') : outside;
      mkdirSync(join(outside, 'mt5/config'), { recursive: true });
      writeFileSync(join(outside, 'mt5/config/common.ini'), 'SECRET');
      mkdirSync(join(lookalike, 'config'), { recursive: true });
      writeFileSync(join(lookalike, 'config/common.ini'), 'SECRET');
      const before = execFileSync('find', [outside, '-printf', '%p %y %s %T@\\n']).toString();
      swap(
        'attempt(() => fs.renameSync(a, a + ".real")); attempt(() => fs.symlinkSync(b, a));' +
          'attempt(() => fs.unlinkSync(a)); attempt(() => fs.renameSync(a + ".real", a));',
        place,
        lookalike,
      );
      await untilRefusedAndServed(async () => {
        const bytes = await files.findBytes('config/common.ini');
        expect(bytes?.toString() ?? 'inside').toMatch(/^inside/);
        try {
          await files.replaceFile('config/common.ini', 'inside again');
          await files.removeDrafts('config/common.ini');
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        }
        return bytes !== undefined;
      });
      expect(execFileSync('find', [outside, '-printf', '%p %y %s %T@\\n']).toString()).toBe(before);
    },
  );

  test('a file that becomes a link, a FIFO, a folder: what is read is what was written there', async () => {
    const path = at('config/common.ini');
    writeFileSync(path, 'inside');
    execFileSync('mkfifo', [join(top, 'fifo')]);
    swap(
      'attempt(() => fs.symlinkSync(b, a + ".l")); attempt(() => fs.renameSync(a + ".l", a));' +
        'attempt(() => fs.writeFileSync(a + ".f", "inside")); attempt(() => fs.renameSync(a + ".f", a));' +
        'attempt(() => fs.linkSync(c, a + ".p")); attempt(() => fs.renameSync(a + ".p", a));' +
        'attempt(() => fs.unlinkSync(a)); attempt(() => fs.mkdirSync(a)); attempt(() => fs.rmdirSync(a));' +
        'attempt(() => fs.writeFileSync(a, "inside"));',
      path,
      join(outside, 'secret'),
      join(top, 'fifo'),
    );
    await untilRefusedAndServed(async () => {
      const bytes = await files.findBytes('config/common.ini');
      expect(['inside', '', undefined]).toContain(bytes?.toString());
      await files.emptyFile('config/common.ini').catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
      return bytes !== undefined;
    });
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('SECRET');
  });

  test('a folder that is held stays the one that it was', async () => {
    const held = await files.ensureFolder('logs');
    rmSync(at('logs'), { recursive: true });
    symlinkSync(outside, at('logs'));
    expect(await held.findFile('secret')).toBeUndefined();
    expect((await held.listNames()).names).toEqual([]);
    await expect(held.replaceFile('x', 'y', 'x.new', { mode: 0o600 })).rejects.toThrow(UnsafeFileError);
    expect(readdirSync(outside).sort()).toEqual(['config', 'secret']);
    expect(readlinkSync(at('logs'))).toBe(outside);
    await held.close();
  });
});
