import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '@berth/kit';
import { LauncherError } from '../launcher.ts';
import { removeTree } from './host-tools.ts';
import { RUN_FILES, toScript, type Script } from './keeper.ts';
import { findSmallFile, writeToFifo, writeNewFile } from './run-folder.ts';

const ANSWER_POLL_MS = 5;
const MAX_NUMBER_BYTES = 16;

export interface BoxExchangeOptions {
  /** The `run` folder, and its path in the box. */
  run: string;
  insideRun: string;
  /** The user that owns the box's files; undefined for the agent's own. */
  findUser: () => Promise<number | undefined>;
  /** @returns a check whether the current box still runs, to be called repeatedly while waiting */
  watch: () => Promise<() => boolean>;
}

export interface WaitLimits {
  maxBytes: number;
  timeoutMs: number;
  /** Whether the program that should write the file still runs. */
  isAlive: () => boolean;
}

/** A name that no program in the box can have taken. */
export const toNewName = (): string => randomBytes(8).toString('hex');

/**
 * Communication between the agent and a running box, all by files that the box can tamper with: see `run-folder.ts`.
 */
export class BoxExchange {
  readonly #options: BoxExchangeOptions;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: BoxExchangeOptions) {
    this.#options = options;
  }

  /**
   * Has a program started in the running box. @returns the name of its files in the `run` folder. Throws a
   * LauncherError (`screen`) when the box does not take it.
   */
  async run(script: Script, notes: { hasPid?: boolean; hasEnd?: boolean } = {}): Promise<string> {
    const name = toNewName();
    const { hasPid = false, hasEnd = false } = notes;
    const toInside = (ending: string) => join(this.#options.insideRun, `${name}.${ending}`);
    const text = toScript(script, {
      ...(hasPid ? { pidFile: toInside('pid') } : {}),
      ...(hasEnd ? { endFile: toInside('end') } : {}),
    });
    await this.write(`${name}.run`, text);
    if (await this.send(RUN_FILES.commands, name)) return name;
    await this.remove(`${name}.run`);
    throw new LauncherError(
      'screen',
      'The box of the terminal takes no more commands. Stop the terminal and start it again.',
    );
  }

  /**
   * Runs a program in the box to its end. @returns its exit code. Throws a LauncherError (`screen`) when it takes too
   * long, or the box ends first.
   */
  async runToEnd(script: Script & { timeoutMs: number }): Promise<number> {
    const name = await this.run(script, { hasEnd: true });
    const isAlive = await this.#options.watch();
    const content = await this.waitFor(`${name}.end`, { maxBytes: MAX_NUMBER_BYTES, isAlive, ...script });
    await this.remove(`${name}.end`);
    return Number.parseInt(content.toString('latin1'), 10);
  }

  /** Waits for a file that a program in the box writes. Throws a LauncherError (`screen`) when it does not come. */
  async waitFor(name: string, limits: WaitLimits): Promise<Buffer> {
    const deadline = performance.now() + limits.timeoutMs;
    for (;;) {
      const content = await this.find(name, limits.maxBytes);
      if (content) return content;
      if (!limits.isAlive()) {
        throw new LauncherError('screen', 'The screen of the terminal has ended. Start the terminal again.');
      }
      if (performance.now() >= deadline) {
        throw new LauncherError('screen', 'The screen of the terminal does not answer: no reply in time.');
      }
      await sleep(ANSWER_POLL_MS);
    }
  }

  /** Serialises actions that must not overlap in the box. */
  takeTurn<Result>(act: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(act);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /** Puts a file where programs in the box find it. */
  async write(name: string, content: Buffer | string): Promise<void> {
    await writeNewFile(this.#toPath(name), content, await this.#options.findUser());
  }

  /** Writes a line to a FIFO of the box. @returns false where nobody reads it */
  send(name: string, line: string): Promise<boolean> {
    return writeToFifo(this.#toPath(name), line);
  }

  /** A file that a program in the box wrote; undefined where there is none, or it is too large. */
  find(name: string, maxBytes: number): Promise<Buffer | undefined> {
    return findSmallFile(this.#toPath(name), maxBytes);
  }

  /** Removes whatever the box has put in its place. */
  async remove(name: string): Promise<void> {
    const path = this.#toPath(name);
    await rm(path, { force: true }).catch(() => removeTree(path));
  }

  #toPath(name: string): string {
    return join(this.#options.run, name);
  }
}
