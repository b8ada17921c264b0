import { sleep } from '@berth/kit';
import { toWindows } from '../../launchers/wine/visible-windows.ts';
import { terminalPlaces, type BasedPlatform } from '../../bases/places.ts';
import type { BaseBox } from '../prepare-base/base-box.ts';
import { findBuild, readJournals } from '../prepare-base/first-start.ts';

const LOOK_MS = 250;
const MAX_TEXT_BYTES = 64 * 1024;
/** As the terminal names it. */
export const START_FILE = 'C:\\berth.ini';

export interface Started {
  /** Whether the journal says so, and whether there is a window. */
  isStarted: boolean;
  hasWindow: boolean;
  tookMs: number;
}

/** The terminal that is probed. All its files are read and written by tools inside its box. */
export class ProbeTerminal {
  readonly box: BaseBox;
  readonly platform: BasedPlatform;
  readonly patienceMs: number;
  readonly #signal: AbortSignal;
  #seenLines = 0;

  constructor(options: { box: BaseBox; platform: BasedPlatform; patienceMs: number; signal: AbortSignal }) {
    this.box = options.box;
    this.platform = options.platform;
    this.patienceMs = options.patienceMs;
    this.#signal = options.signal;
  }

  /** The installation, as a path for the box's tools. */
  get root(): string {
    return `${this.box.insideHome}/${this.place.folderName}`;
  }

  get place(): (typeof terminalPlaces)[BasedPlatform] {
    return terminalPlaces[this.platform];
  }

  /** What has been written to the journal since the last start. */
  async lines(): Promise<string[]> {
    await this.box.open();
    return (await this.#allLines()).slice(this.#seenLines);
  }

  async #allLines(): Promise<string[]> {
    const text = await readJournals(this.box, this.root);
    return text
      .replaceAll('\ufeff', '')
      .split(/\r?\n/)
      .filter((line) => line !== '');
  }

  /** Starts the terminal and waits until its journal says so and it shows a window. */
  async start(args: readonly string[] = [], environment: Record<string, string> = {}): Promise<Started> {
    await this.box.open();
    this.#seenLines = (await this.#allLines()).length;
    const beganAtMs = performance.now();
    await this.box.startTerminal(args, environment);
    const isStarted = (await this.waitForLine((line) => findBuild(line) !== undefined)) !== undefined;
    const hasWindow = isStarted && (await this.#waitForWindow());
    return { isStarted, hasWindow, tookMs: performance.now() - beganAtMs };
  }

  /** The first matching line since the start; undefined when none comes in time. */
  async waitForLine(
    pattern: RegExp | ((line: string) => boolean),
    patienceMs = this.patienceMs,
  ): Promise<string | undefined> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      this.#signal.throwIfAborted();
      const found = (await this.lines()).find((line) =>
        typeof pattern === 'function' ? pattern(line) : pattern.test(line),
      );
      if (found !== undefined || performance.now() >= deadline) return found;
      await sleep(LOOK_MS);
    }
  }

  async #waitForWindow(): Promise<boolean> {
    const deadline = performance.now() + this.patienceMs;
    while (performance.now() < deadline) {
      this.#signal.throwIfAborted();
      if (await this.box.screen.hasWindow()) return true;
      await sleep(LOOK_MS);
    }
    return false;
  }

  /** Writes a start file and starts with it. @param name by which the terminal is given the file */
  async startWith(content: Buffer, name = START_FILE): Promise<Started> {
    await this.put(content, `${this.box.insideHome}/berth.ini`);
    // MetaTrader 4 takes the file's name without a switch.
    return this.start([this.platform === 'mt5' ? `/config:${name}` : name]);
  }

  /** Removes the start file, which may hold a password. */
  async dropStartFile(): Promise<void> {
    await this.run('rm -f "$1/berth.ini"', this.box.insideHome);
  }

  /** Puts a file into the box. @param path for the box's tools */
  async put(content: Buffer, path: string): Promise<void> {
    await this.box.open();
    await this.box.bring('probe.tmp', content);
    await this.run('mkdir -p "$(dirname "$2")" && cp "$1" "$2"', `${this.box.insideRun}/probe.tmp`, path);
    await this.box.takeBack('probe.tmp');
  }

  /** Runs a shell script in the box. @returns what it wrote */
  async run(script: string, ...args: string[]): Promise<string> {
    await this.box.open();
    const content = await this.box.look(['/bin/sh', '-c', script, 'berth', ...args], MAX_TEXT_BYTES);
    return content.toString('utf8');
  }

  /** The titles of the visible windows. */
  async titles(): Promise<string[]> {
    const { answers } = await this.box.screen.ask({ requests: [{ op: 'windows' }] });
    return toWindows((answers as { windows?: unknown }[])[0]?.windows)
      .map(({ title }) => title)
      .filter((title) => title !== '');
  }

  /** Presses keys in the main window; does nothing where there is none. */
  async pressKeys(keys: string): Promise<void> {
    const windows = await this.box.screen.listWindows();
    const main = windows.find(({ owner, title }) => owner === null && title !== '');
    if (main) await this.box.screen.ask({ requests: [{ op: 'key', window: main.handle, keys }] });
  }

  async isRunning(): Promise<boolean> {
    return (await this.box.terminal().find()) !== undefined;
  }

  /** Waits for the terminal's end. @returns how long that took; undefined where it did not end in time */
  async waitForEnd(): Promise<number | undefined> {
    const beganAtMs = performance.now();
    while (performance.now() - beganAtMs < this.patienceMs) {
      this.#signal.throwIfAborted();
      if (!(await this.isRunning())) return performance.now() - beganAtMs;
      await sleep(LOOK_MS / 5);
    }
    return undefined;
  }

  /** Closes the terminal by its windows. If it does not end, its box is ended. @returns how long it took, if it did */
  async close(): Promise<number | undefined> {
    if (!(await this.isRunning())) return undefined;
    await this.box.closeTerminals();
    const tookMs = await this.waitForEnd();
    if (tookMs === undefined) await this.box.end();
    return tookMs;
  }
}
