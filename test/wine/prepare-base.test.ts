// @module-tag wine
/** `script/agent prepare-base`, with an installer and a terminal of Berth's own under real Wine. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@berth/testing/wait-for';
import { beforeAll, describe, expect, test as withFixtures } from 'vitest';
import { createAgentFolder, removeAgentFolder, runCommand, startCommand } from './support/host-command.ts';
import { assertWineTools } from './support/wine-tools.ts';
import { buildWindowsPrograms, makeInstaller, standInTerminal64 } from './support/windows-programs.ts';

const isRoot = process.geteuid?.() === 0;

beforeAll(() => {
  assertWineTools();
  buildWindowsPrograms('window', 'stand-in', 'setup');
});

/** Of an agent whose server cannot be reached: what it does before it asks. */
const AGENT = { BERTH_SERVER_URL: 'http://127.0.0.1:1', BERTH_JOIN_TOKEN: 'none', BERTH_AGENT_PLATFORMS: 'mt5:wine' };

/** An agent's folder with a terminal to make bases of. */
class Workshop {
  readonly folder = createAgentFolder();
  readonly terminal = join(this.folder, 'terminal');

  constructor() {
    mkdirSync(join(this.terminal, 'config'), { recursive: true });
    copyFileSync(standInTerminal64, join(this.terminal, 'terminal64.exe'));
  }

  fromFolder(...more: string[]): string[] {
    return ['prepare-base', '--platform', 'mt5', '--folder', this.terminal, ...more];
  }

  listBases(): string[] {
    const bases = join(this.folder, 'bases/mt5');
    return existsSync(bases) ? readdirSync(bases).sort() : [];
  }

  installation(name: string): string {
    return join(this.folder, 'bases/mt5', name, 'prefix/drive_c/mt5');
  }

  /** The processes that belong to a box of this test: the box's start names its folder. */
  listBoxes(): string[] {
    return readdirSync('/proc').filter((pid) => {
      try {
        return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${this.folder}/bases`);
      } catch {
        return false;
      }
    });
  }
}

// Side by side: most of a preparation waits for a journal to grow no more.
const test = withFixtures.extend<{ workshop: Workshop }>({
  // eslint-disable-next-line no-empty-pattern -- vitest reads from it which fixtures this one needs
  workshop: async ({}, use) => {
    const workshop = new Workshop();
    await use(workshop);
    removeAgentFolder(workshop.folder);
  },
});

describe.concurrent('a base', () => {
  test('is made by an installer, which runs in a box and ends before its successor has done the work', async ({
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
    expect(base.sha256['terminal64.exe']).toMatch(/^[0-9a-f]{64}$/);
    expect(workshop.listBases()).toEqual(['current', 'default']);
    expect(workshop.listBoxes()).toEqual([]);
  });

  test('is made of the folder of a terminal, without its accounts, journals and links', async ({ workshop }) => {
    writeFileSync(join(workshop.terminal, 'config/accounts.dat'), 'sealed');
    mkdirSync(join(workshop.terminal, 'logs'));
    writeFileSync(join(workshop.terminal, 'logs/20200101.log'), 'old');
    writeFileSync(join(workshop.terminal, 'readme.txt'), 'mine');
    symlinkSync('/etc/passwd', join(workshop.terminal, 'link'));
    expect((await runCommand(workshop.folder, workshop.fromFolder('--name', 'spring'))).code).toBe(0);
    const root = workshop.installation('spring');
    expect(readdirSync(root)).toContain('readme.txt');
    expect(readdirSync(root)).not.toContain('link');
    expect(readdirSync(root).map((name) => name.toLowerCase())).not.toContain('logs');
    expect(readdirSync(join(root, 'config'))).not.toContain('accounts.dat');
    expect(lstatSync(join(root, 'terminal64.exe')).uid).toBe(process.geteuid?.());
    expect(readdirSync(join(root, '../../dosdevices'))).toEqual(['c:']);
    const again = await runCommand(workshop.folder, workshop.fromFolder('--name', 'spring'));
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('--name');
  });

  test('is not made of anything else', async ({ workshop }) => {
    const nothing = join(workshop.folder, 'nothing');
    writeFileSync(nothing, '#!/bin/sh\n');
    const cases: [string[], number, string][] = [
      [['--platform', 'mt5', '--installer', nothing], 1, 'no Windows program'],
      [['--platform', 'mt5', '--installer', join(workshop.folder, 'none')], 1, 'There is no file'],
      [['--platform', 'mt5', '--folder', workshop.folder], 1, 'holds no terminal64.exe'],
      [['--platform', 'mt5'], 2, '--installer FILE or --folder DIR'],
      [['--folder', workshop.terminal], 2, '--platform'],
      [['--platform', 'mt5', '--folder', workshop.terminal, '--name', '../x'], 2, '--name'],
      [['--platform', 'mt5', '--folder', workshop.terminal, '--pin', 'new'], 2, '--pin'],
    ];
    for (const [args, expected, text] of cases) {
      const { code, stderr } = await runCommand(workshop.folder, ['prepare-base', ...args]);
      expect({ args, code }).toEqual({ args, code: expected });
      expect(stderr).toContain(text);
    }
    expect(workshop.listBases()).toEqual([]);
  });
});

describe.concurrent('a preparation', () => {
  test('that is killed leaves nothing that looks like a base, and the next one removes it', async ({ workshop }) => {
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

  test('that is killed is cleared up by the next start of the agent, with the box that still runs', async ({
    workshop,
  }) => {
    const { child, ended, stderr } = startCommand(workshop.folder, workshop.fromFolder());
    await waitFor(() => stderr().includes('Setting up') && workshop.listBoxes().length > 1, { what: 'the box' });
    child.kill('SIGKILL');
    await ended;
    expect(workshop.listBases()).toEqual([expect.stringMatching(/^\.default\..+\.partial$/)]);
    const agent = startCommand(workshop.folder, [], { environment: AGENT });
    await waitFor(() => workshop.listBases().length === 0, { what: 'the end of the draft' });
    agent.child.kill('SIGTERM');
    await agent.ended;
    expect(workshop.listBoxes()).toEqual([]);
  });

  test('that is interrupted clears up after itself', async ({ workshop }) => {
    const { child, ended, stderr } = startCommand(workshop.folder, workshop.fromFolder());
    await waitFor(() => stderr().includes('Setting up'), { what: 'the beginning' });
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(stderr()).toContain('no half base was left');
    expect(workshop.listBases()).toEqual([]);
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

  test.runIf(isRoot)('ends where the disk is nearly full, and gives the room back', async ({ workshop }) => {
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
  });
});
