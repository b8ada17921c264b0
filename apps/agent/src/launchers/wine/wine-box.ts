import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isProcessAlive, sleep, type ProcessIdentity } from '@berth/kit';
import { LauncherError, type ProcessLoad } from '../launcher.ts';
import { measureProcesses } from '../process/process-walk.ts';
import { BoxExchange } from './box-exchange.ts';
import { toBoxPaths, toInsidePaths, type BoxPaths, type InsidePaths } from './box-paths.ts';
import { findMark, listBoxProcesses, MARK_VARIABLE, type BoxedProcess, type BoxProcesses } from './box-walk.ts';
import { emptyTree, removeTree, toShortText } from './host-tools.ts';
import { KEEPER_SCRIPT, RUN_FILES, WINDOW_MANAGER_SETTINGS } from './keeper.ts';
import { findBase, installPrefix, prepareMountPoints } from './prefix.ts';
import { findSmallFile } from './run-folder.ts';
import { WindowProgram } from './window-program.ts';
import { WINDOW_PROGRAM, type WineHost } from './wine-host.ts';
import { isProgram32 } from './wine-programs.ts';
import { lockBox, type Starter } from './file-lock.ts';

/**
 * A screen, a window manager and a Wine server start within a fraction of a second; on a busy machine they take longer.
 */
const BOOT_MS = 60_000;
const BOOT_POLL_MS = 10;
/** How long a killed process may take to disappear: the kernel may have to wait for a disk. */
const KILL_MS = 10_000;
const KILL_POLL_MS = 10;
/** How long Wine's server may take to write its registry. */
const SAVE_MS = 2_000;
const MAX_NUMBER_BYTES = 16;
const MAX_LOG_BYTES = 4096;

/** A running box: its first process, whose end is the end of all others, and Wine's server, without which they hang. */
export interface LivingBox {
  init: ProcessIdentity;
  server: ProcessIdentity | undefined;
  processes: BoxedProcess[];
}

const isServer = ({ command }: BoxedProcess): boolean =>
  /(^|\/)wineserver(64|32)?$/.test(command[0] ?? '') && !command.includes('-w');

/**
 * The environment of one terminal: its prefix, its screen, Wine's server, and on most hosts the isolation around them.
 * It lives from `open` to `end`, outlives the agent, and is found again by its processes.
 */
export class WineBox {
  readonly paths: BoxPaths;
  readonly inside: InsidePaths;
  readonly exchange: BoxExchange;
  readonly windows: WindowProgram;
  readonly #host: WineHost;
  readonly #findProgram: () => string | undefined;

  /** @param findProgram the terminal's executable, if it is known */
  constructor(host: WineHost, folder: string, findProgram: () => string | undefined) {
    this.#host = host;
    this.#findProgram = findProgram;
    this.paths = toBoxPaths(folder);
    this.inside = toInsidePaths(this.paths, host.isolation.level);
    this.exchange = new BoxExchange({
      run: this.paths.run,
      insideRun: this.inside.run,
      findUser: () => host.isolation.findUser(this.paths),
      watch: async () => {
        const box = await this.find();
        return () => box !== undefined && isProcessAlive(box.init);
      },
    });
    this.windows = new WindowProgram(this, host);
  }

  /** Fills the prefix from a base. Nothing runs in the box. */
  install(base: string): Promise<void> {
    return installPrefix(this.paths, base);
  }

  /** The running box; undefined where it does not run, or is not ready yet. */
  async find(): Promise<LivingBox | undefined> {
    // The cheaper check first: a box that is starting is polled.
    if (!(await lstat(this.#toRunFile(RUN_FILES.ready)).catch(() => undefined))) return undefined;
    const { inside } = await this.#list();
    const init = inside.find((one) => this.#isInit(one));
    if (!init) return undefined;
    return { init, server: inside.find(isServer), processes: inside };
  }

  /**
   * Starts the box where it does not run. @returns the address of its screen. Throws LauncherErrors: `missing` where the
   * host lacks something, `stuck` when another agent starts it.
   */
  async open(): Promise<string> {
    if (!(await this.#findReady())) {
      await this.end();
      await this.#boot();
    }
    const display = await findSmallFile(this.#toRunFile(RUN_FILES.display), MAX_NUMBER_BYTES);
    return `:${Number.parseInt(display?.toString('latin1') ?? '0', 10) || 0}`;
  }

  /** The usage of everything in the box; undefined where it does not run. */
  async measure(): Promise<ProcessLoad | undefined> {
    const { inside, outside } = await this.#list();
    const pids = [...inside, ...outside].map(({ pid }) => pid);
    if (pids.length === 0) return undefined;
    return (await this.#host.isolation.measure(this.paths)) ?? measureProcesses(pids);
  }

  /** Ends everything in the box by force. Throws a LauncherError (`stuck`) when something is left. */
  async end(): Promise<void> {
    const first = await this.#list();
    if (first.inside.length > 0) await this.#saveRegistry(first);
    const deadline = performance.now() + KILL_MS;
    for (let round = 0; ; round += 1) {
      const { inside, outside } = await this.#list();
      const left = [...inside, ...outside];
      if (left.length === 0) break;
      if (performance.now() >= deadline) throw toStuck(left);
      for (const one of left) this.#kill(one, round);
      await sleep(KILL_POLL_MS);
    }
    await this.#host.isolation.clean(this.paths);
  }

  /** Removes the box and everything it has on the host. Nothing may run in it. */
  async remove(): Promise<void> {
    await this.end();
    await removeTree(this.paths.folder);
    await this.#host.disk.forget(this.paths.folder);
    await this.#host.isolation.forget(this.paths);
  }

  #toRunFile(name: string): string {
    return join(this.paths.run, name);
  }

  /** Other users' processes may carry the mark of a box: they are left alone. */
  async #list(): Promise<BoxProcesses> {
    const mark = await findMark(this.paths.run);
    if (mark === undefined) return { inside: [], outside: [] };
    const { inside, outside } = await listBoxProcesses(mark);
    const own = new Set([process.geteuid?.(), await this.#host.isolation.findUser(this.paths)]);
    const isOwn = ({ uid }: BoxedProcess) => own.has(uid);
    return { inside: inside.filter(isOwn), outside: outside.filter(isOwn) };
  }

  #isInit({ innerPid, command }: BoxedProcess): boolean {
    if (this.#host.isolation.level === 'full') return innerPid === 1;
    return command[1] === this.#toRunFile(RUN_FILES.keeper);
  }

  /** Without a real box the screen is asked to end, so that it removes its lock. */
  #kill({ pid, command }: BoxedProcess, round: number): void {
    const isScreen = this.#host.isolation.level === 'none' && command[0] === 'Xvfb' && round * KILL_POLL_MS < SAVE_MS;
    try {
      process.kill(pid, isScreen ? 'SIGTERM' : 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  /** Wine's server writes the registry every half a minute, and on SIGTERM. */
  async #saveRegistry({ inside }: BoxProcesses): Promise<void> {
    const server = inside.find(isServer);
    if (!server) return;
    try {
      process.kill(server.pid, 'SIGTERM');
    } catch {
      return;
    }
    const deadline = performance.now() + SAVE_MS;
    while (isProcessAlive(server) && performance.now() < deadline) await sleep(KILL_POLL_MS);
  }

  /** Waits for a box that another agent is just starting, instead of ending it. */
  async #findReady(): Promise<LivingBox | undefined> {
    const deadline = performance.now() + BOOT_MS;
    for (;;) {
      const box = await this.find();
      const { outside } = await this.#list();
      if (box || outside.length === 0 || performance.now() >= deadline) return box;
      await sleep(BOOT_POLL_MS);
    }
  }

  async #boot(): Promise<void> {
    const { paths } = this;
    await this.#host.disk.assertRoom(paths.folder);
    await mkdir(paths.run, { recursive: true, mode: 0o700 });
    const mark = await findMark(paths.run);
    if (mark === undefined) throw new LauncherError('missing', `${paths.run} is not a folder. Remove it.`);
    const base = await findBase(paths);
    await this.#host.isolation.prepare(paths);
    const starter = await lockBox(paths, mark, await this.#toCommand(mark, base));
    try {
      await this.#prepare(base);
    } catch (error) {
      starter.abandon();
      throw error;
    }
    starter.go();
    await this.#waitUntilReady(starter);
  }

  async #toCommand(mark: string, base: string | undefined): Promise<string[]> {
    const { paths, inside } = this;
    const { screen, hasGlx } = this.#host.settings;
    const { server, loader32 } = await this.#host.getPrograms();
    const size = `${screen.width}x${screen.height}x24`;
    const program = this.#findProgram();
    return this.#host.isolation.toCommand({
      paths,
      inside,
      base,
      allows32Bit: program === undefined ? loader32 !== undefined : await isProgram32(program),
      environment: { ...this.#host.toEnvironment(inside), [MARK_VARIABLE]: mark },
      command: ['/bin/sh', join(inside.run, RUN_FILES.keeper), inside.run, size, hasGlx ? '+GLX' : '-GLX', server],
    });
  }

  async #prepare(base: string | undefined): Promise<void> {
    const { paths } = this;
    await emptyTree(paths.run);
    await prepareMountPoints(paths, { base, isolation: this.#host.isolation.level });
    await this.exchange.write(RUN_FILES.keeper, KEEPER_SCRIPT);
    await this.exchange.write(RUN_FILES.windowManager, WINDOW_MANAGER_SETTINGS);
    await this.exchange.write(WINDOW_PROGRAM, await this.#host.readWindowProgram());
    await mkdir(this.#toRunFile(RUN_FILES.screen));
    await this.#host.isolation.giveFiles(paths);
  }

  async #waitUntilReady(starter: Starter): Promise<void> {
    const deadline = performance.now() + BOOT_MS;
    while (!(await this.find())) {
      // The starter is gone with everything it had. Anything that runs now was started by somebody else.
      if (starter.hasEnded()) throw await this.#toBootFailure();
      if (performance.now() >= deadline) {
        await this.end();
        throw await this.#toBootFailure();
      }
      await sleep(BOOT_POLL_MS);
    }
  }

  async #toBootFailure(): Promise<LauncherError> {
    const log = toShortText((await findSmallFile(this.paths.log, MAX_LOG_BYTES))?.toString('utf8') ?? '');
    const obstacle = await this.#host.isolation.findObstacle();
    const reason = obstacle ?? (log === '' ? 'It ended without a word.' : `It said: ${log}.`);
    return new LauncherError('missing', `The box of the terminal did not start. ${reason}`);
  }
}

const toStuck = (left: readonly ProcessIdentity[]): LauncherError => {
  const pids = left.slice(0, 5).map(({ pid }) => pid);
  const text = `Processes of the terminal do not end (${pids.join(', ')}). The host's disk or kernel may hang; restart the host.`;
  return new LauncherError('stuck', text);
};
