/**
 * What happens to a terminal's box: its agent, its parts, its host are killed, and other processes impersonate its
 * parts. Declares tests.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { listClaimedUsers } from './box-traces.ts';
import { bundle } from './bundle.ts';
import { createLauncherFolder, prepareLauncher, programFolder, removeLauncherFolder } from './launcher-folder.ts';
import {
  install,
  listProcesses,
  makeBase,
  openLauncher,
  openTerminal,
  reopenTerminal,
  start,
  toRunFolder,
  until,
  type WineTerminal,
} from '@berth/testing/wine-terminals';

let prefix: string;
let folder: string;
let terminal: WineTerminal;
let isolation: string;
const open = () => openLauncher({ folder, programFolder, environment: { BERTH_AGENT_ISOLATION: isolation } });
/** The next agent's view of the terminal. */
const reopen = () => reopenTerminal(terminal, open());

const prepare = async (level: string): Promise<void> => {
  isolation = level;
  terminal = openTerminal(open(), join(folder, 'terminal'));
  await install(terminal, await makeBase(folder, prefix));
};

const useFolders = (): void => {
  beforeAll(async () => void (prefix = await prepareLauncher()));
  beforeEach(async () => void (folder = await createLauncherFolder()));
  afterEach(async () => {
    await terminal.launcher.remove(terminal.box);
    await removeLauncherFolder(folder);
  });
};

/** Processes of the box by the last part of their program's name. */
const listNamed = async (name: string): Promise<number[]> => {
  const { inside } = await listProcesses(terminal);
  return inside.filter(({ command }) => (command[0] ?? '').split(/[\\/]/).at(-1) === name).map(({ pid }) => pid);
};
const kill = (pids: readonly number[]): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      // It went with one that was killed before it.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
};

/** Of terminals with this isolation. */
export const testFaults = (level: 'full' | 'none'): void => {
  useFolders();
  beforeEach(() => prepare(level));

  it('a terminal outlives its agent with its screen and is operated by the next one', async () => {
    const program = join(folder, 'agent-main.mjs');
    await bundle('agent-main.ts', program);
    const agent = spawn(process.execPath, [program, folder, programFolder, level, 'notepad.exe'], { env: {} });
    const [id] = (await once(agent.stdout, 'data')) as [Buffer];
    agent.kill('SIGKILL');
    await once(agent, 'exit');
    const next = reopen();
    const handle = await next.processes.find();
    expect(`${handle?.id}\n`).toBe(id.toString());
    expect(await next.screen.hasWindow()).toBe(true);
    expect((await next.screen.capture({ width: 700, height: 500 })).readUInt32BE(16)).toBe(700);
    expect(await listNamed('openbox')).toHaveLength(1);
    await next.processes.close(handle!);
    await until(async () => !(await next.processes.isRunning(handle!)));
  });

  it.each(['wineserver64', 'Xvfb'])(
    'a terminal without its %s does not run, and is not doubled by a start',
    async (part) => {
      const handle = await start(terminal);
      kill((await listNamed(part)).slice(0, 1));
      await until(async () => !(await terminal.processes.isRunning(handle)));
      expect(await terminal.processes.find()).toBeUndefined();
      await terminal.processes.clear();
      expect(await listProcesses(terminal)).toEqual({ inside: [], outside: [] });
      const again = await start(terminal);
      expect(await listNamed('notepad.exe')).toHaveLength(1);
      expect(await terminal.processes.find()).toEqual(again);
    },
  );

  it('a terminal that goes on as another process is found again', async () => {
    const first = await start(terminal);
    const [pid] = await listNamed('notepad.exe');
    await terminal.processes.start({ args: [], environment: {} });
    await until(async () => (await listNamed('notepad.exe')).length === 2);
    kill([pid!]);
    await until(async () => !(await terminal.processes.isRunning(first)));
    const successor = await reopen().processes.find();
    expect(successor).toBeDefined();
    expect(await reopen().processes.isRunning(successor!)).toBe(true);
  });

  it('a terminal is started again on a host that was killed with everything on it', async () => {
    const before = await start(terminal);
    const { inside, outside } = await listProcesses(terminal);
    kill([...outside, ...inside].map(({ pid }) => pid));
    await until(async () => Object.values(await listProcesses(terminal)).flat().length === 0);
    const next = reopen();
    expect(await next.processes.find()).toBeUndefined();
    const [init, server] = before.id.split('/');
    // Numbers are assigned anew after a boot: this process has the terminal's.
    const taken = { ...before, id: `${init}/${server}/${process.pid}:${before.id.split(':').at(-1)}` };
    for (const handle of [before, taken]) expect(await next.processes.isRunning(handle)).toBe(false);
    const after = await start(next);
    expect(await next.processes.isRunning(after)).toBe(true);
  });

  it('two agents that start a box at once start one', async () => {
    const results = await Promise.allSettled([terminal, reopen()].map(({ screen }) => screen.open()));
    const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
    expect(refusals.map(({ name }) => name)).toEqual(refusals.map(() => 'LauncherError'));
    expect(refusals.length).toBeLessThan(2);
    await until(async () => (await listNamed('openbox')).length > 0);
    expect(await listNamed('openbox')).toHaveLength(1);
    const handle = await start(terminal);
    expect(await reopen().processes.find()).toEqual(handle);
  });
};

/** What an agent has come to, in the order of a start. */
export type Moment = 'folder' | 'keeper' | 'screen' | 'outside' | 'inside' | 'ready' | 'program';

const hasComeTo: Record<Moment, () => Promise<unknown>> = {
  folder: () => access(toRunFolder(terminal)),
  keeper: () => access(join(toRunFolder(terminal), 'keeper')),
  screen: () => access(join(toRunFolder(terminal), 'screen')),
  outside: async () => expect((await listProcesses(terminal)).outside).not.toEqual([]),
  inside: async () => expect((await listProcesses(terminal)).inside).not.toEqual([]),
  ready: () => access(join(toRunFolder(terminal), 'ready')),
  program: async () => expect(await listNamed('notepad.exe')).not.toEqual([]),
};

/** Of an agent that is killed when it has come so far. */
export const testKilledStarts = (...moments: Moment[]): void => {
  useFolders();
  it('an agent that is killed while it starts a terminal leaves what the next one finds or starts, whenever it was', async () => {
    await prepare('full');
    const program = join(folder, 'agent-main.mjs');
    await bundle('agent-main.ts', program);
    const run = toRunFolder(terminal);
    for (const moment of moments) {
      const agent = spawn(process.execPath, [program, folder, programFolder, 'full', 'notepad.exe'], { env: {} });
      await until(() =>
        hasComeTo[moment]().then(
          () => true,
          () => false,
        ),
      );
      agent.kill('SIGKILL');
      await once(agent, 'exit');
      const next = reopen();
      if (!(await next.processes.find())) await next.processes.clear();
      await next.screen.open();
      const handle = (await next.processes.find()) ?? (await start(next));
      expect(await next.processes.isRunning(handle)).toBe(true);
      expect(await listNamed('openbox')).toHaveLength(1);
      expect((await listNamed('notepad.exe')).length).toBe(1);
      await next.processes.clear();
      await rm(run, { recursive: true });
    }
    expect(listClaimedUsers(folder)).toHaveLength(process.geteuid?.() === 0 ? 1 : 0);
  });
};
