/** Types blocks of the pages into a shell at the root of the checkout. Only places are put in: folders, addresses, ports. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { spawnProcess, type SpawnedProcess } from '@berth/testing';
import { readRun, type PageBlock } from '../house/page-blocks.ts';
import { rootDir } from '../house/repository.ts';

const TIMEOUT_MS = 600_000;
const WAIT = { timeoutMs: 300_000 };

export interface PageShellOptions {
  /** Text in the pages → its value here. The first match counts. */
  places: Record<string, string>;
  environment: Record<string, string>;
  /** The folder of the commands; the checkout's own. */
  folder?: string;
}

export class PageShell {
  readonly places: Record<string, string>;
  readonly #options: { cwd: string; env: NodeJS.ProcessEnv };
  /** A command that keeps running. */
  readonly #running: SpawnedProcess[] = [];

  constructor({ places, environment, folder = rootDir }: PageShellOptions) {
    this.places = places;
    this.#options = { cwd: folder, env: { PATH: process.env.PATH, ...environment } };
  }

  toHere(text: string): string {
    return Object.entries(this.places).reduce((result, [written, here]) => result.replaceAll(written, here), text);
  }

  /** Types a block that ends by itself, and returns its output. */
  async type({ text }: PageBlock): Promise<string> {
    const options = { ...this.#options, timeout: TIMEOUT_MS, maxBuffer: 1 << 26 };
    const typed = promisify(execFile)('bash', ['-c', `set -e\n${this.toHere(text)}`], options);
    // It reads nothing: a command that asks a question is answered by the end of its input.
    typed.child.stdin?.end();
    return (await typed).stdout;
  }

  /** Types a block that goes on, until it has said what it should. */
  async begin(block: PageBlock): Promise<SpawnedProcess> {
    const until = readRun(block)?.until ?? '';
    const started = spawnProcess('bash', ['-c', this.toHere(block.text)], this.#options);
    this.#running.push(started);
    await started.waitForLine(new RegExp(until), WAIT);
    return started;
  }

  /** Ctrl+C ends all that still run, the last one first; it reaches what they have started, too. */
  async pressCtrlC(): Promise<void> {
    for (const started of this.#running.splice(0).reverse()) {
      process.kill(-started.pid, 'SIGINT');
      await started.ended;
    }
  }
}
