// @module-tag wine
/** `script/agent prepare-base` with an installer of Berth's own under real Wine, killed, beside another one, and on a full disk. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@berth/testing/wait-for';
import { beforeAll, describe, expect } from 'vitest';
import { runCommand, startCommand } from './support/host-command.ts';
import { runInPrefix } from './support/test-prefix.ts';
import { buildWindowsPrograms, makeInstaller, packageProgram } from './support/windows-programs.ts';
import { test } from './support/workshop.ts';

beforeAll(() => {
  buildWindowsPrograms('window', 'stand-in', 'setup', 'package');
});

describe.concurrent('a base', () => {
  test('a base is made by an installer, which runs in a box and ends before its successor has done the work', async ({
    workshop,
  }) => {
    const args = [
      'prepare-base',
      '--platform',
      'mt5',
      '--installer',
      makeInstaller(workshop.folder),
      '--pin',
      'current',
      '--json',
    ];
    const { code, stdout, stderr } = await runCommand(workshop.folder, args);
    expect(stderr).not.toContain('berth:');
    expect(code).toBe(0);
    const { base } = JSON.parse(stdout);
    expect(base).toMatchObject({ platform: 'mt5', name: 'default', program: 'mt5/terminal64.exe', current: true });
    expect(base.build).toBeGreaterThan(0);
    expect(base.pinned_build).toBe(base.build);
    expect(base.wine_version).toMatch(/^wine-\d/);
    // There is no MetaEditor: the base is one all the same.
    expect(stderr).toContain('There is no MetaEditor beside the terminal. Going on without it');
    expect(base.link).toBeNull();
    expect(base.sha256['terminal64.exe']).toMatch(/^[0-9a-f]{64}$/);
    expect(workshop.listBases()).toEqual(['current', 'default']);
    expect(workshop.listBoxes()).toEqual([]);
  });
});

describe.concurrent('an installer that does nothing', () => {
  test('an installer that does nothing is ended and tried again', async ({ workshop }) => {
    const installer = makeInstaller(workshop.folder, 'BERTH-STALLING');
    const args = ['prepare-base', '--platform', 'mt5', '--installer', installer, '--stall', '10'];
    const { code, stderr } = await runCommand(workshop.folder, args);
    expect(stderr).toContain('The installer did nothing for 10 s. Ending it, and trying again ...');
    expect(code).toBe(0);
    expect(workshop.listBases()).toEqual(['current', 'default']);
  });
});

describe.concurrent('an installer that shows web pages', () => {
  test('an installer that shows web pages fails without Gecko, says so, and is tried again with it', async ({
    workshop,
  }) => {
    const installer = makeInstaller(workshop.folder, 'BERTH-HAS-PAGE');
    const args = ['prepare-base', '--platform', 'mt5', '--installer', installer];
    const without = await runCommand(workshop.folder, args);
    expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('give --gecko FILE')]);
    expect(workshop.listBases()).toEqual([]);

    const gecko = join(workshop.folder, 'gecko.msi');
    await runInPrefix(join(workshop.folder, 'packing'), packageProgram, gecko);
    const { code, stderr } = await runCommand(workshop.folder, [...args, '--gecko', gecko]);
    expect(stderr).toContain('Trying again with Gecko ...');
    expect(code).toBe(0);
    expect(workshop.listBases()).toEqual(['current', 'default']);

    const wrong = await runCommand(workshop.folder, [...args, '--name', 'other', '--gecko', installer]);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("no package of Windows' installer")]);
  });
});

describe.concurrent('a terminal', () => {
  test('a terminal that ends by itself without an account makes a good base', async ({ workshop }) => {
    writeFileSync(join(workshop.terminal, 'berth-faults.ini'), '[faults]\r\nexits_without_account=1\r\n');
    const { code, stderr } = await runCommand(workshop.folder, workshop.fromFolder());
    expect(stderr).not.toContain('ended by itself');
    expect(code).toBe(0);
    expect(workshop.listBases()).toEqual(['current', 'default']);
  });
});

describe.concurrent('a preparation', () => {
  test('a preparation that is killed leaves nothing that looks like a base, and the next one removes it', async ({
    workshop,
  }) => {
    const { child, ended, stderr } = startCommand(workshop.folder, workshop.fromFolder());
    await waitFor(() => stderr().includes('for the first time'), { what: 'the first start' });
    child.kill('SIGKILL');
    await ended;
    expect(workshop.listBases().filter((name) => !name.startsWith('.'))).toEqual([]);
    expect((await runCommand(workshop.folder, ['bases', '--json'])).stdout).toContain('"bases": []');
    const next = await runCommand(workshop.folder, workshop.fromFolder());
    expect(next.stderr).toContain('Removed what an interrupted preparation');
    expect(next.code).toBe(0);
    expect(workshop.listBases()).toEqual(['current', 'default']);
    expect(workshop.listBoxes()).toEqual([]);
  });

  test('beside another one of the same name leaves one base', async ({ workshop }) => {
    const both = await Promise.all([
      runCommand(workshop.folder, workshop.fromFolder()),
      runCommand(workshop.folder, workshop.fromFolder()),
    ]);
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(both.find(({ code }) => code === 1)?.stderr).toMatch(/--name/);
    expect(workshop.listBases()).toEqual(['current', 'default']);
  });

  test(
    'a preparation ends where the disk is nearly full, and gives the room back',
    { tags: ['mount'] },
    async ({ workshop }) => {
      const disk = join(workshop.folder, 'bases');
      mkdirSync(disk);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1300m,mode=755', 'none', disk]);
      try {
        const { code, stderr } = await runCommand(workshop.folder, workshop.fromFolder());
        expect(code).toBe(1);
        expect(stderr).toContain('Free some space');
        expect(workshop.listBases()).toEqual([]);
      } finally {
        execFileSync('umount', [disk]);
      }
    },
  );
});
