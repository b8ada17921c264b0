import { join } from 'node:path';
import { createLogger, sleep } from '@berth/kit';
import type { Box, ProcessHandle } from '../../launchers/launcher.ts';
import { toWineBox } from '../../launchers/wine/box-paths.ts';
import { toNewName } from '../../launchers/wine/box-exchange.ts';
import { WineBox } from '../../launchers/wine/wine-box.ts';
import { WineHost } from '../../launchers/wine/wine-host.ts';
import { WineProcesses } from '../../launchers/wine/wine-processes.ts';
import { WineScreen } from '../../launchers/wine/wine-screen.ts';
import { listMainWindows } from '../../launchers/wine/visible-windows.ts';
import { terminalPlaces, type BasedPlatform } from '../../bases/places.ts';
import { CommandError } from '@berth/command';
import type { HostSettings } from '../host-command.ts';

const POLL_MS = 100;
const MAX_CODE_BYTES = 16;

/**
 * Runs its arguments after the first, and writes their exit code to the file named by the first, whole or not at all.
 */
const WITH_CODE = 'file=$1; shift; "$@" </dev/null >/dev/null 2>&1; echo $? >"$file.part"; mv "$file.part" "$file"';
/** The same for the box's own tools: keeps their output, and discards their error messages. */
const WITH_OUTPUT =
  'file=$1; max=$2; shift 2; "$@" </dev/null 2>/dev/null | head -c "$max" >"$file.part"; mv "$file.part" "$file"';

const WITH_PAGES = ['/usr/bin/env', 'WINEDLLOVERRIDES=mscoree=d;winemenubuilder.exe=d'];

/**
 * The box of a base that is being prepared, or of a terminal that is inspected. What runs in it is as untrusted as any
 * terminal: an installer is a stranger's program. While it runs, its files are only inspected by tools inside the box.
 */
export class BaseBox {
  readonly #wine: WineBox;
  readonly #host: WineHost;
  readonly #platform: BasedPlatform;
  readonly #signal: AbortSignal;
  readonly screen: WineScreen;
  readonly home: Box;

  constructor(folder: string, platform: BasedPlatform, settings: HostSettings, signal: AbortSignal) {
    const log = createLogger({ name: 'agent', destination: 2 });
    this.#host = new WineHost({ settings: settings.wine, folder: settings.sharedFolder, log });
    this.#platform = platform;
    this.#signal = signal;
    this.home = toWineBox(folder);
    this.#wine = new WineBox(this.#host, folder, () => undefined);
    this.screen = new WineScreen(this.#wine, this.#host, () => terminalPlaces[platform].program);
  }

  /** The installation, as a path of the host. */
  get root(): string {
    return join(this.home.home, terminalPlaces[this.#platform].folderName);
  }

  /** Drive C, as a path in the box. */
  get insideHome(): string {
    return join(this.#wine.inside.prefix, 'drive_c');
  }

  open(): Promise<string> {
    return this.#wine.open();
  }

  /** Puts a file at `C:\berth\`. @returns its path for a program in the box */
  async bring(name: string, content: Buffer): Promise<string> {
    await this.#wine.exchange.write(name, content);
    return `C:\\berth\\${name}`;
  }

  /**
   * Starts a Windows program with its arguments. @param showsPages whether it may use Gecko, where that is installed
   * @returns a function that checks whether it has ended, and how
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

  /** The output of one of the box's own tools; empty where it prints nothing in time. */
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

  /** Polls until something is found. Throws a CommandError when the box ends, or nothing is found in time. */
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
      // The steps check the free disk space themselves.
      onAlive: () => undefined,
    });
  }

  /** Starts the terminal with `/portable`, and any further arguments. */
  startTerminal(args: readonly string[] = [], environment: Record<string, string> = {}): Promise<ProcessHandle> {
    return this.terminal().start({ args: ['/portable', ...args], environment });
  }

  /** Fills the box from a base, like a terminal's. */
  install(base: string): Promise<void> {
    return this.#wine.install(base);
  }

  /** Removes a file that was put there by `bring`. */
  takeBack(name: string): Promise<void> {
    return this.#wine.exchange.remove(name);
  }

  /** The folder of such files, as a path for the box's own tools. */
  get insideRun(): string {
    return this.#wine.inside.run;
  }

  /** Whether any terminal runs, wherever an installer put it. */
  async hasTerminal(): Promise<boolean> {
    const ending = `\\${terminalPlaces[this.#platform].program}`;
    const processes = (await this.#wine.find())?.processes ?? [];
    return processes.some(({ command }) => (command[0] ?? '').toLowerCase().endsWith(ending));
  }

  /** The CPU time that the box's processes have used; 0 where it is unknown. */
  async getCpuMs(): Promise<number> {
    return (await this.#wine.measure())?.cpuMs ?? 0;
  }

  /** Asks all terminals to close their windows. */
  async closeTerminals(): Promise<void> {
    const windows = listMainWindows(await this.screen.listWindows(), terminalPlaces[this.#platform].program);
    for (const { handle } of windows) await this.screen.ask({ requests: [{ op: 'close', window: handle }] });
  }

  /** Ends everything in the box, and releases what it has on the host outside its folder. */
  async end(): Promise<void> {
    await this.#wine.end();
  }

  /** Releases the box's user. Nothing runs in it, and no files belong to that user any more. */
  async forget(): Promise<void> {
    await this.#host.isolation.forget(this.#wine.paths);
  }

  /** Removes the box and its folder, whatever runs in it. */
  remove(): Promise<void> {
    return this.#wine.remove();
  }

  /** The version that the loader reports. */
  async findLoader(): Promise<string> {
    return (await this.#host.getPrograms()).loader64;
  }
}
