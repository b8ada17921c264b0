import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toRecord } from '../../wire/fields.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_NAMES = 1_000;

const readPlainFile = (path: string): string | undefined => {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    return stats.isFile() && stats.size <= MAX_BYTES ? readFileSync(file, 'utf8') : undefined;
  } finally {
    closeSync(file);
  }
};

/** The folder through which a link program and an agent exchange files; each file is one JSON object. */
export class ExchangeFiles {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    for (const name of ['commands', 'answers']) mkdirSync(join(folder, name), { recursive: true });
  }

  /** Undefined where there is no such file, or it holds anything else. */
  find(name: string): Record<string, unknown> | undefined {
    try {
      const text = readPlainFile(join(this.folder, name));
      return text === undefined ? undefined : toRecord(JSON.parse(text));
    } catch {
      return undefined;
    }
  }

  /** Replaces a file as a whole. A full disk leaves the old one. */
  write(name: string, content: object): void {
    const path = join(this.folder, name);
    try {
      writeFileSync(`${path}.tmp`, JSON.stringify(content));
      renameSync(`${path}.tmp`, path);
    } catch {
      rmSync(`${path}.tmp`, { force: true });
    }
  }

  has(name: string): boolean {
    return this.find(name) !== undefined;
  }

  /** Moves a file. @returns whether it was there */
  move(name: string, to: string): boolean {
    try {
      renameSync(join(this.folder, name), join(this.folder, to));
      return true;
    } catch {
      return false;
    }
  }

  remove(name: string): void {
    rmSync(join(this.folder, name), { force: true });
  }

  /** The names in a folder below, without their ending; at most a thousand. */
  list(name: string, ending: string): string[] {
    try {
      const names = readdirSync(join(this.folder, name)).filter((each) => each.endsWith(ending));
      return names.slice(0, MAX_NAMES).map((each) => each.slice(0, -ending.length));
    } catch {
      return [];
    }
  }
}
