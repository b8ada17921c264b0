/** The folder of one run: progress, what every process said, and after a failure what the database knew. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SpawnedProcess } from '@berth/testing';

export class RunLog {
  readonly folder: string;
  readonly #onProgress: (text: string) => void;

  constructor(folder: string, onProgress: (text: string) => void) {
    this.folder = folder;
    this.#onProgress = onProgress;
    mkdirSync(folder, { recursive: true });
  }

  note(text: string): void {
    appendFileSync(join(this.folder, 'progress.log'), `${new Date().toISOString()} ${text}\n`);
  }

  /** Notes it, and shows it to the person who watches. */
  print(text: string): void {
    this.note(text);
    this.#onProgress(text);
  }

  keepOutput(name: string, { pid, output }: SpawnedProcess): void {
    appendFileSync(join(this.folder, `${name}.log`), `--- process ${pid}\n${output}`);
  }

  keep(name: string, content: unknown): void {
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
    writeFileSync(join(this.folder, name), `${text}\n`);
  }
}
