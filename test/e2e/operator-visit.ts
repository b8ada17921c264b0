/**
 * Whoever types the commands of the pages for operators: backups, upgrades, hosts that join, keys. Only places are put in:
 * folders, addresses, ports, and what a person copies from the step before.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Berth } from '@berth/client';
import { findFreePort, startTestStack, TEST_PASSWORD, type SpawnedProcess, type TestStack } from '@berth/testing';
import { expect } from 'vitest';
import { readBlocks, readRun, type PageBlock } from '../house/page-blocks.ts';
import { PageShell } from './page-shell.ts';

export const TIMEOUT_MS = 600_000;

/** On a fresh data directory, and a second time on the one that has lived. */
export const visits = ['the first time', 'again'];

export const listOf = (page: string): PageBlock[] =>
  readBlocks(page).filter((block) => readRun(block)?.by === 'operator');

/** As root, PostgreSQL's folder stands elsewhere, and the data directory links to it. */
const removeCopy = (path: string): void => {
  spawnSync('sh', ['-c', `rm -rf "$(readlink ${path}/postgres)" ${path}`]);
};

export class OperatorVisit {
  readonly stack: TestStack;
  readonly shell: PageShell;
  readonly #folder: string;

  private constructor(stack: TestStack, shell: PageShell, folder: string) {
    this.stack = stack;
    this.shell = shell;
    this.#folder = folder;
  }

  /** Opens a visit with an instance of its own; close it in `afterAll`, and tidy up after each test. */
  static async open(): Promise<OperatorVisit> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'berth-operator-')));
    const stack = await startTestStack({ isEmbedded: true });
    const [, password = ''] = await stack.server.waitForLine(/Password +(\S{12,})/);
    const places = {
      '/var/lib/berth-new': join(folder, 'new'),
      '/var/lib/berth': stack.dataDir,
      '/srv/backups': join(folder, 'backups'),
      '/tmp/drill': join(folder, 'drill'),
      '/srv/broker': join(folder, 'broker'),
      'BERTH_PORT=4999': `BERTH_PORT=${await findFreePort()}`,
      'https://berth.example.com': stack.url,
      '<the printed password>': password,
    };
    const environment = {
      HOME: folder,
      BERTH: stack.url,
      BERTH_PORT: '0',
      BERTH_AGENT_DIR: join(folder, 'agent'),
      BERTH_LOG_LEVEL: 'info',
    };
    return new OperatorVisit(stack, new PageShell({ places, environment }), folder);
  }

  /** Ends what goes on by itself, and removes the copies of the instance. */
  async tidyUp(): Promise<void> {
    await this.shell.pressCtrlC();
    for (const copy of ['new', 'drill']) removeCopy(join(this.#folder, copy));
  }

  async close(): Promise<void> {
    await this.stack.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Begins with folders of these names that hold nothing. */
  empty(...names: ('backups' | 'broker')[]): void {
    for (const name of [...names, 'agent']) rmSync(join(this.#folder, name), { recursive: true, force: true });
    for (const name of names) mkdirSync(join(this.#folder, name));
  }

  /** An original and its copy, or its successor, never run together. */
  async withoutOriginal(callback: () => Promise<void>): Promise<void> {
    this.stack.server.kill('SIGTERM');
    await this.stack.server.ended;
    await callback();
    await this.stack.restart();
    await this.stack.waitForHosts();
  }

  /** Looks into a server that was started on a copy: the user can log in, and the hosts are known. */
  async expectCopy(copy: SpawnedProcess, email: string): Promise<void> {
    const [, url = ''] = await copy.waitForLine(/Berth is ready at (http\S+)/);
    const { auth } = new Berth({ baseUrl: url });
    expect((await auth.login({ email, password: TEST_PASSWORD })).user).toMatchObject({ email });
    const password = this.shell.places['<the printed password>']!;
    const { token } = await auth.login({ email: 'operator@berth.local', password });
    expect(await new Berth({ baseUrl: url, token }).operator.hosts.list().toArray()).toHaveLength(4);
  }

  /** Goes through docs/guides/backup-drill.md. */
  async drill(): Promise<void> {
    const [backup, restore, start] = listOf('docs/guides/backup-drill.md');
    this.empty('backups');
    const { user } = await this.stack.register('Ada');
    await this.shell.type(backup!);
    await this.shell.type(restore!);
    await this.expectCopy(await this.shell.begin(start!), user.email);
  }
}
