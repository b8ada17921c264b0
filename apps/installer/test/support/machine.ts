/** A machine for the installer's script: a folder for its files, and a path with nothing but the programs that it is given. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnProcess } from '@berth/testing';

const TOOLS =
  'cat curl df env flock grep gzip head id install ln ls mkdir mktemp mv readlink rm sed sh sha256sum sleep tail tar tr uname';
/** What the script looks for and never starts. */
const LOOKED_FOR = 'wine wine64 Xvfb openbox bwrap pasta ip';

export const findTool = (name: string): string =>
  ['/usr/bin', '/bin'].map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? name;

export interface Outcome {
  code: number | null;
  output: string;
}

export const toSha256 = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex');

export class Machine {
  readonly folder = mkdtempSync(join(tmpdir(), 'berth-machine-'));
  readonly root = join(this.folder, 'root');
  readonly #programs = join(this.folder, 'bin');

  constructor() {
    for (const folder of [this.root, this.#programs]) mkdirSync(folder);
    for (const name of TOOLS.split(' ')) symlinkSync(findTool(name), join(this.#programs, name));
    for (const name of LOOKED_FOR.split(' ')) symlinkSync('/bin/true', join(this.#programs, name));
    symlinkSync(process.execPath, join(this.#programs, 'node'));
  }

  /** Takes a program away. */
  without(...names: string[]): void {
    for (const name of names) rmSync(join(this.#programs, name));
  }

  /** Puts a shell script in the place of a program. */
  replace(name: string, text: string): void {
    this.without(name);
    writeFileSync(join(this.#programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }

  /** Runs the script with its files below `root`. @param typed what is typed at its terminal; undefined: it has none */
  async run(
    script: Buffer | string,
    args: readonly string[],
    environment: Record<string, string> = {},
    typed?: string,
  ): Promise<Outcome> {
    const file = join(this.folder, 'host.sh');
    writeFileSync(file, script);
    const env = { PATH: this.#programs, TMPDIR: this.folder, ...environment };
    const command = ['/bin/sh', file, '--root', this.root, ...args];
    const running =
      typed === undefined
        ? spawnProcess(command[0]!, command.slice(1), { env })
        : spawnProcess(findTool('script'), ['-qec', command.join(' '), '/dev/null'], { env, stdio: 'pipe' });
    running.child.stdin?.end(typed);
    const { code } = await running.ended;
    return { code, output: running.output };
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  modeOf(path: string): string {
    return (statSync(join(this.root, path)).mode & 0o7777).toString(8);
  }

  /** All paths below `root`. */
  list(folder = ''): string[] {
    return readdirSync(join(this.root, folder), { recursive: true, encoding: 'utf8' }).sort();
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
