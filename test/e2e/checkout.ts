/** A copy of this checkout in a folder of its own, started by the command that a person would use. */
import { spawnSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listStackProcesses, spawnProcess, waitFor, type SpawnedProcess, type StackRole } from '@berth/testing';

const source = fileURLToPath(new URL('../..', import.meta.url));
/** What a clone does not have: the top folder's own, and what is installed or built in any folder. */
const NOT_COPIED = new Set(['data', '.build', '.git']);
const NEVER_COPIED = new Set(['node_modules', 'dist']);

/** An account that every machine has, and that may do nothing special. */
export const NOBODY = { uid: 65_534, gid: 65_534 };

export type Owner = typeof NOBODY;

/** Building and creating the database take seconds, on a busy machine many. */
const START_TIMEOUT_MS = 300_000;

const chownTree = (path: string, { uid, gid }: Owner): void => {
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) chownSync(join(entry.parentPath, entry.name), uid, gid);
  }
  chownSync(path, uid, gid);
};

/** Folders of installed packages: the common one, and those of workspaces that need another version of something. */
const listPackageFolders = (): string[] => {
  const workspaces = ['apps', 'packages'].flatMap((group) =>
    readdirSync(join(source, group)).map((name) => join(group, name)),
  );
  return ['.', ...workspaces].filter((path) => existsSync(join(source, path, 'node_modules')));
};

/** The packages are linked file by file where the file system can, so that a copy costs no space. */
const copyPackages = (root: string): void => {
  for (const path of listPackageFolders()) {
    const [from, target] = [join(source, path, 'node_modules'), join(root, path)];
    if (spawnSync('cp', ['-al', from, target]).status === 0) continue;
    rmSync(join(target, 'node_modules'), { recursive: true, force: true });
    const { status, stderr } = spawnSync('cp', ['-a', from, target], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`copying the packages failed: ${stderr}`);
  }
};

/**
 * What a copy finds built: nothing, as in a clone; what takes longest and only changes with its own sources, so that the
 * programs are still built; or everything.
 */
export type Built = 'nothing' | 'pages' | 'everything';

const listBuilt = (built: Built): string[] => {
  if (built === 'nothing') return [];
  return built === 'pages' ? ['dashboard', 'windows'] : readdirSync(join(source, 'apps'));
};

const copyBuilt = (root: string, built: Built): void => {
  for (const app of listBuilt(built)) {
    const dist = join('apps', app, 'dist');
    if (existsSync(join(source, dist))) cpSync(join(source, dist), join(root, dist), { recursive: true });
  }
  // The folders of the sources are new, and whatever is built must be newer.
  const page = join(root, 'apps/dashboard/dist/index.html');
  if (existsSync(page)) utimesSync(page, new Date(), new Date());
  if (built !== 'everything') return;
  mkdirSync(join(root, '.build'));
  writeFileSync(join(root, '.build/built'), '');
};

export interface CheckoutOptions {
  /** Whom the copy belongs to, and who starts it; the packages stay the tests' own. */
  owner?: Owner;
  built?: Built;
}

export interface StartedServer extends SpawnedProcess {
  url: string;
}

/** Never Berth's own variables, and nothing of the package manager that runs the tests. */
export const toEnvironment = (own: Record<string, string>): Record<string, string> => {
  const { PATH = '', TMPDIR } = process.env;
  return { PATH, LANG: 'C.UTF-8', HOME: source, ...(TMPDIR === undefined ? {} : { TMPDIR }), ...own };
};

export class Checkout {
  readonly root: string;
  readonly dataDir: string;
  readonly #owner: Owner | undefined;

  constructor(root: string, { owner, built = 'everything' }: CheckoutOptions = {}) {
    this.root = root;
    this.dataDir = join(root, 'data');
    this.#owner = owner;
    mkdirSync(root, { mode: 0o700 });
    const filter = (path: string) => !NEVER_COPIED.has(basename(path));
    for (const name of readdirSync(source).filter((entry) => filter(entry) && !NOT_COPIED.has(entry))) {
      cpSync(join(source, name), join(root, name), { recursive: true, preserveTimestamps: true, filter });
    }
    copyBuilt(root, built);
    if (owner) chownTree(root, owner);
    copyPackages(root);
  }

  /** Starts `script/server`, at a terminal of its own where that is wanted, and returns at once. */
  spawn(environment: Record<string, string>, { hasTerminal = false } = {}): SpawnedProcess {
    const command = join(this.root, 'script/server');
    const [program, args] = hasTerminal ? ['script', ['-qec', `exec ${command}`, '/dev/null']] : [command, []];
    return spawnProcess(program, args, {
      cwd: this.root,
      env: toEnvironment({ BERTH_LOG_LEVEL: 'warn', BERTH_RATE_LIMIT: 'off', HOME: this.root, ...environment }),
      stdio: ['pipe', 'pipe', 'pipe'],
      ...this.#owner,
    });
  }

  /** Starts `script/server` and waits until it says that it is ready. */
  async start(environment: Record<string, string>): Promise<StartedServer> {
    const server = this.spawn(environment);
    const url = await waitUntilReady(server);
    return Object.assign(server, { url });
  }

  processes(...roles: StackRole[]) {
    return listStackProcesses(this.dataDir, ...roles);
  }

  async waitForNoProcess(): Promise<void> {
    await waitFor(() => this.processes().length === 0, { what: 'an end of every process' }).catch((error: Error) => {
      throw new Error(`${error.message}: ${JSON.stringify(this.processes())}`);
    });
  }

  /** Kills what still runs and removes the copy. */
  async remove(): Promise<void> {
    for (const { pid } of this.processes()) process.kill(pid, 'SIGKILL');
    await this.waitForNoProcess();
    try {
      rmSync(readlinkSync(join(this.dataDir, 'postgres')), { recursive: true, force: true });
    } catch {
      // There is none, or it is in the data directory.
    }
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** @returns the address. The last line of what is printed is the command to try. */
export const waitUntilReady = async (server: SpawnedProcess): Promise<string> => {
  const [, url = ''] = await server.waitForLine(/Berth is ready at (http\S+)/, { timeoutMs: START_TIMEOUT_MS });
  await server.waitForLine(/^\s+curl /);
  return url;
};
