import { join } from 'node:path';
import { sleep } from '@berth/kit';
import type { Box, ProcessHandle } from '../../launchers/launcher.ts';
import { toWineBox } from '../../launchers/wine/box-paths.ts';
import { toNewName } from '../../launchers/wine/box-exchange.ts';
import { WineBox } from '../../launchers/wine/wine-box.ts';
import { WineHost } from '../../launchers/wine/wine-host.ts';
import { WineProcesses } from '../../launchers/wine/wine-processes.ts';
import { WineScreen } from '../../launchers/wine/wine-screen.ts';
import { listMainWindows } from '../../launchers/visible-windows.ts';
import { terminalPlaces, type BasedPlatform } from '../../bases/places.ts';
import { CommandError } from '@berth/command';
import type { HostSettings } from '../host-settings.ts';

const POLL_MS = 100;
const MAX_CODE_BYTES = 16;

/** Runs its arguments after the first, and leaves their exit code in the file that the first names, whole or not at all. */
const WITH_CODE = 'file=$1; shift; "$@" </dev/null >/dev/null 2>&1; echo $? >"$file.part"; mv "$file.part" "$file"';
/** The same for what is asked of the box's own tools: their output, and nothing of what they complain about. */
const WITH_OUTPUT =
  'file=$1; max=$2; shift 2; "$@" </dev/null 2>/dev/null | head -c "$max" >"$file.part"; mv "$file.part" "$file"';

const WITH_PAGES = ['/usr/bin/env', 'WINEDLLOVERRIDES=mscoree=d;winemenubuilder.exe=d'];

/**
 * The box of a base in the making, or of a terminal that is looked at. What runs in it is as hostile as any terminal: an
 * installer is a stranger's program. While it runs, its files are looked at by tools inside of the box only.
 */
export class BaseBox {
  readonly #wine: WineBox;
  readonly #host: WineHost;
  readonly #platform: BasedPlatform;
  readonly #signal: AbortSignal;
  readonly screen: WineScreen;
  readonly home: Box;

  constructor(folder: string, platform: BasedPlatform, settings: HostSettings, signal: AbortSignal) {
    this.#host = new WineHost({ settings: settings.wine, folder: settings.sharedFolder });
    this.#platform = platform;
    this.#signal = signal;
    this.home = toWineBox(folder);
    this.#wine = new WineBox(this.#host, folder, () => undefined);
    this.screen = new WineScreen(this.#wine, this.#host, () => terminalPlaces[platform].program);
  }

  /** The installation, as the host names it. */
  get root(): string {
    return join(this.home.home, terminalPlaces[this.#platform].folderName);
  }

  /** Drive C, as the box names it. */
  get insideHome(): string {
    return join(this.#wine.inside.prefix, 'drive_c');
  }

  open(): Promise<string> {
    return this.#wine.open();
  }

  /** Puts a file at `C:\berth\`. @returns what a program in the box calls it */
  async bring(name: string, content: Buffer): Promise<string> {
    await this.#wine.exchange.write(name, content);
    return `C:\\berth\\${name}`;
  }

  /**
   * Starts a Windows program, whose arguments follow it. @param showsPages whether it may use Gecko, where that is installed
   * @returns a look at whether it has ended, and how
   */
  async start(
    command: readonly string[],
    timeoutMs: number,
    { showsPages = false } = {},
  ): Promise<() => Promise<number | undefined>> {
    const { loader64 } = await this.#host.getPrograms();
    const file = `${toNewName()}.code`;
    const words = ['/bin/sh', '-c', WITH_CODE, 'berth', join(this.#wine.inside.run, file)];
    words.push(...(showsPages ? WITH_PAGES : []), loader64, ...command);
    await this.#wine.exchange.run({ folder: this.#wine.inside.prefix, command: words, timeoutMs });
    return async () => {
      const text = (await this.#wine.exchange.find(file, MAX_CODE_BYTES))?.toString('latin1').trim() ?? '';
      return /^\d{1,3}$/.test(text) ? Number(text) : undefined;
    };
  }

  /** Runs a Windows program to its end. Throws a CommandError when it fails, or does not end in time. */
  async run(what: string, command: readonly string[], timeoutMs: number): Promise<void> {
    const findCode = await this.start(command, timeoutMs);
    const code = await this.waitFor(what, findCode, timeoutMs);
    if (code !== 0) throw new CommandError(`${what} ended with the exit code ${code}.`);
  }

  /** What one of the box's own tools says about its files; empty where it says nothing in time. */
  async look(command: readonly string[], maxBytes: number, timeoutMs = 20_000): Promise<Buffer> {
    const file = `${toNewName()}.out`;
    const path = join(this.#wine.inside.run, file);
    const words = ['/bin/sh', '-c', WITH_OUTPUT, 'berth', path, String(maxBytes), ...command];
    await this.#wine.exchange.run({ folder: this.#wine.inside.prefix, command: words, timeoutMs });
    const deadline = performance.now() + timeoutMs;
    while (performance.now() < deadline) {
      this.#signal.throwIfAborted();
      const content = await this.#wine.exchange.find(file, maxBytes);
      if (content) {
        await this.#wine.exchange.remove(file);
        return content;
      }
      await sleep(POLL_MS);
    }
    return Buffer.alloc(0);
  }

  /** Waits until a look finds something. Throws a CommandError when the box ends, or nothing is found in time. */
  async waitFor<Found>(what: string, find: () => Promise<Found | undefined>, timeoutMs: number): Promise<Found> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      this.#signal.throwIfAborted();
      const found = await find();
      if (found !== undefined) return found;
      if (!(await this.#wine.find())) throw new CommandError(`${what}: its box ended. Is the memory or the disk full?`);
      if (performance.now() >= deadline) {
        throw new CommandError(`${what} did not come to its end within ${Math.round(timeoutMs / 1000)} s.`);
      }
      await sleep(POLL_MS);
    }
  }

  /** The terminal's processes. */
  terminal(): WineProcesses {
    const { program } = terminalPlaces[this.#platform];
    const path = join(this.root, program);
    const description = { command: [path] as const, folder: this.root, mark: program };
    return new WineProcesses({
      box: this.#wine,
      home: this.home,
      program: description,
      host: this.#host,
      screen: this.screen,
      // How full the disk is, the steps look at themselves.
      onAlive: () => undefined,
    });
  }

  /** Starts the terminal with `/portable`, and with what else is given. */
  startTerminal(args: readonly string[] = [], environment: Record<string, string> = {}): Promise<ProcessHandle> {
    return this.terminal().start({ args: ['/portable', ...args], environment });
  }

  /** Fills the box from a base, as a terminal is. */
  install(base: string): Promise<void> {
    return this.#wine.install(base);
  }

  /** Takes back what was brought. */
  takeBack(name: string): Promise<void> {
    return this.#wine.exchange.remove(name);
  }

  /** The folder of what is brought, as the box's own tools name it. */
  get insideRun(): string {
    return this.#wine.inside.run;
  }

  /** Whether any terminal runs, wherever an installer put it. */
  async hasTerminal(): Promise<boolean> {
    const ending = `\\${terminalPlaces[this.#platform].program}`;
    const processes = (await this.#wine.find())?.processes ?? [];
    return processes.some(({ command }) => (command[0] ?? '').toLowerCase().endsWith(ending));
  }

  /** What the box's processes have used of the processor; 0 where that is not known. */
  async getCpuMs(): Promise<number> {
    return (await this.#wine.measure())?.cpuMs ?? 0;
  }

  /** Asks all terminals to close their windows. */
  async closeTerminals(): Promise<void> {
    const windows = listMainWindows(await this.screen.listWindows(), terminalPlaces[this.#platform].program);
    for (const { handle } of windows) await this.screen.ask({ requests: [{ op: 'close', window: handle }] });
  }

  /** Ends everything in the box; what it has on the host beside its folder is given back. */
  async end(): Promise<void> {
    await this.#wine.end();
  }

  /** Gives the box's user back. Nothing runs in it, and none of its files is the user's any more. */
  async forget(): Promise<void> {
    await this.#host.isolation.forget(this.#wine.paths);
  }

  /** Removes the box and its folder, whatever runs in it. */
  remove(): Promise<void> {
    return this.#wine.remove();
  }

  /** What the loader says its version is. */
  async findLoader(): Promise<string> {
    return (await this.#host.getPrograms()).loader64;
  }
}
