import { lstat, stat } from 'node:fs/promises';
import { constants } from 'node:os';
import { basename, join, relative } from 'node:path';
import type { ProcessExit } from '@berth/contract/agent';
import { isProcessAlive, sleep, toProcessIdentity, toProcessWord, type ProcessIdentity } from '@berth/kit';
import {
  LauncherError,
  type Box,
  type ProcessHandle,
  type ProcessLoad,
  type Processes,
  type Program,
  type StartOptions,
} from '../launcher.ts';
import { listMainWindows } from './visible-windows.ts';
import type { BoxedProcess } from './box-walk.ts';
import type { WineBox } from './wine-box.ts';
import type { WineHost } from './wine-host.ts';
import { isProgram32 } from './wine-programs.ts';
import type { WineScreen } from './wine-screen.ts';

export const WINE_LAUNCHER = 'wine';

/** From the loader's start to the moment at which its process has the terminal's name. */
const START_MS = 60_000;
const START_POLL_MS = 20;
const MAX_NUMBER_BYTES = 16;

/** A shell says with a code above this one by which signal a program was ended. */
const SIGNAL_CODE = 128;

const toExit = (shellCode: number): ProcessExit => {
  const isSignal = ([, number]: [string, number]): boolean => number === shellCode - SIGNAL_CODE;
  const [signal] = Object.entries(constants.signals).find(isSignal) ?? [];
  return signal === undefined ? { code: shellCode, signal: null } : { code: null, signal };
};

/** The three that a terminal cannot live without: the process that ends the box, Wine's server, and itself. */
interface Vitals {
  init: ProcessIdentity;
  server: ProcessIdentity;
  terminal: ProcessIdentity;
}

/** For a process that ended before it could be inspected. */
const ENDED: ProcessIdentity = { pid: 0, startedAt: 'ended' };

const toHandle = ({ init, server, terminal }: Vitals): ProcessHandle => ({
  launcher: WINE_LAUNCHER,
  id: [init, server, terminal].map(toProcessWord).join('/'),
});

const toVitals = ({ launcher, id }: ProcessHandle): Vitals | undefined => {
  const parts = id.split('/').map(toProcessIdentity);
  const [init, server, terminal] = parts;
  return launcher === WINE_LAUNCHER && parts.length === 3 && init && server && terminal
    ? { init, server, terminal }
    : undefined;
};

export interface WineProcessesOptions {
  box: WineBox;
  home: Box;
  program: Program;
  host: WineHost;
  screen: WineScreen;
  /** Called whenever the terminal was seen alive. */
  onAlive: () => void;
}

/** One terminal under Wine, with everything in its box. */
export class WineProcesses implements Processes {
  readonly #box: WineBox;
  readonly #home: Box;
  readonly #program: Program;
  readonly #host: WineHost;
  readonly #screen: WineScreen;
  readonly #onAlive: () => void;
  /** The terminal that was started last, and the file that says how it ended. */
  #started: { id: string; endFile: string } | undefined;

  constructor(options: WineProcessesOptions) {
    this.#box = options.box;
    this.#home = options.home;
    this.#program = options.program;
    this.#host = options.host;
    this.#screen = options.screen;
    this.#onAlive = options.onAlive;
  }

  async start({ args, environment }: StartOptions): Promise<ProcessHandle> {
    await this.#box.open();
    const [file, ...first] = this.#program.command;
    const { loader64, loader32 = loader64 } = await this.#host.getPrograms();
    const loader = (await isProgram32(file)) ? loader32 : loader64;
    const command = [loader, this.#home.toInside(file), ...first, ...args];
    const name = await this.#box.exchange.run(
      { folder: this.#toInsideFolder(), environment, command },
      { hasPid: true, hasEnd: true },
    );
    const handle = await this.#waitForTerminal(`${name}.pid`);
    this.#started = { id: handle.id, endFile: `${name}.end` };
    return handle;
  }

  async isRunning(handle: ProcessHandle): Promise<boolean> {
    const vitals = toVitals(handle);
    const isAlive =
      vitals !== undefined && Object.values(vitals).every((identity: ProcessIdentity) => isProcessAlive(identity));
    if (isAlive) this.#onAlive();
    return isAlive;
  }

  async findExit({ id }: ProcessHandle): Promise<ProcessExit | undefined> {
    const endFile = this.#started?.id === id ? this.#started.endFile : undefined;
    const content = endFile && (await this.#box.exchange.find(endFile, MAX_NUMBER_BYTES));
    const [digits] = /^\d{1,3}(?=\n$)/.exec(content?.toString('latin1') ?? '') ?? [];
    return digits === undefined ? undefined : toExit(Number(digits));
  }

  async find(): Promise<ProcessHandle | undefined> {
    const box = await this.#box.find();
    if (!box?.server) return undefined;
    const terminal = await this.#findTerminal(box.processes);
    return terminal && toHandle({ init: box.init, server: box.server, terminal });
  }

  /** Closes its main windows, like a click on their close buttons: a dialog in front does not prevent it. */
  async close(handle: ProcessHandle): Promise<void> {
    if (!(await this.isRunning(handle))) return;
    const windows = listMainWindows(await this.#screen.listWindows(), basename(this.#program.command[0]));
    for (const { handle: window } of windows) {
      await this.#screen.ask({ requests: [{ op: 'close', window }] });
    }
  }

  measure(): Promise<ProcessLoad | undefined> {
    return this.#box.measure();
  }

  clear(): Promise<void> {
    return this.#box.end();
  }

  #toInsideFolder(): string {
    return join(this.#box.inside.prefix, relative(this.#box.paths.prefix, this.#program.folder));
  }

  async #waitForTerminal(pidFile: string): Promise<ProcessHandle> {
    const deadline = performance.now() + START_MS;
    for (;;) {
      const text = (await this.#box.exchange.find(pidFile, MAX_NUMBER_BYTES))?.toString('latin1') ?? '';
      const box = await this.#box.find();
      if (!box)
        throw new LauncherError('screen', 'The box of the terminal ended while it was started. Start it again.');
      const terminal = await this.#findTerminal(box.processes);
      const server = box.server ?? ENDED;
      const isOver = text.endsWith('\n') && !box.processes.some(({ innerPid }) => innerPid === Number(text));
      if (terminal || isOver) {
        await this.#box.exchange.remove(pidFile);
        return toHandle({ init: box.init, server, terminal: terminal ?? ENDED });
      }
      if (performance.now() >= deadline) {
        throw new LauncherError(
          'stuck',
          'Wine does not start the terminal. Look at its screen: `script/agent screen`.',
        );
      }
      await sleep(START_POLL_MS);
    }
  }

  /**
   * The oldest process with the terminal's name and in its folder. A loader takes the name some time after it starts.
   */
  async #findTerminal(processes: readonly BoxedProcess[]): Promise<ProcessIdentity | undefined> {
    const { folder, mark } = this.#program;
    const home = await lstat(folder, { bigint: true }).catch(() => undefined);
    const prefix = `${this.#home.toInside(folder)}\\`.toLowerCase();
    for (const { pid, startedAt, command } of processes) {
      const [name = ''] = command;
      if (!name.toLowerCase().includes(mark.toLowerCase()) || name.startsWith('/')) continue;
      const place = await stat(`/proc/${pid}/cwd/.`, { bigint: true }).catch(() => undefined);
      const isAtHome = place !== undefined && place.dev === home?.dev && place.ino === home.ino;
      if (isAtHome || name.toLowerCase().startsWith(prefix)) return { pid, startedAt };
    }
    return undefined;
  }
}
