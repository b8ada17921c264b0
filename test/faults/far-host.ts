/** A host of its own, on a machine that can be made to misbehave: its connection, its disk, its clock, its process. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Berth } from '@berth/client';
import { startTestAgent, waitFor, type SpawnedProcess, type TestStack } from '@berth/testing';
import { CuttingProxy } from './cutting-proxy.ts';

/** Room for some dozens of sandbox terminals. */
const DISK_MIB = 96;
const RESTART_MS = 500;
const MIB = 1024 * 1024;
const clock = pathToFileURL(join(import.meta.dirname, 'skewed-clock.mjs')).href;

export interface FarHostOptions {
  stack: TestStack;
  region: number;
  operator: Berth['operator'];
  networkFile: string;
  timePercent?: number;
  random?: () => number;
}

export class FarHost {
  readonly proxy: CuttingProxy;
  /** True where its folder is a disk of its own, which can be filled; that takes root. */
  readonly hasDisk: boolean;
  readonly directory: string;
  readonly #options: FarHostOptions;
  readonly #clockFile: string;
  /** Agents that ended by themselves, as one does that finds the disk full at its start; others took their places. */
  readonly fallen: SpawnedProcess[] = [];
  #agent: SpawnedProcess | undefined;
  #isStopping = false;

  private constructor(options: FarHostOptions) {
    const { stack, random } = options;
    this.#options = options;
    this.directory = join(stack.dataDir, 'far');
    this.#clockFile = join(stack.dataDir, 'far-clock');
    mkdirSync(this.directory);
    const size = `size=${DISK_MIB}m,mode=0700`;
    this.hasDisk = spawnSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', this.directory]).status === 0;
    this.proxy = new CuttingProxy({ toTarget: () => stack.url, ...(random ? { random } : {}) });
  }

  /** Enrols the host, starts its agent, and waits until it is online beside `others`. */
  static async start(options: FarHostOptions, others: number): Promise<FarHost> {
    const host = new FarHost(options);
    const { stack, region, operator } = options;
    await host.proxy.listen();
    host.setClock(0);
    const order = { region, name: 'far', capacity: 100 };
    host.startAgent((await operator.joinTokens.create(order)).join_token);
    await stack.waitForHosts(others + 1);
    return host;
  }

  startAgent(joinToken?: string): void {
    const agent = startTestAgent({
      serverUrl: this.proxy.url,
      directory: this.directory,
      networkFile: this.#options.networkFile,
      environment: {
        CLOCK_FILE: this.#clockFile,
        NODE_OPTIONS: `--import=${clock}`,
        BERTH_TIME_PERCENT: String(this.#options.timePercent ?? 100),
      },
      ...(joinToken === undefined ? {} : { joinToken }),
    });
    this.#agent = agent;
    void this.#replaceFallen(agent);
  }

  /** As its service manager would. */
  async #replaceFallen(agent: SpawnedProcess): Promise<void> {
    const isWanted = () => agent === this.#agent && !this.#isStopping;
    await agent.ended;
    if (isWanted()) await delay(RESTART_MS);
    if (!isWanted()) return;
    this.fallen.push(agent);
    this.startAgent();
  }

  get agent(): SpawnedProcess {
    if (!this.#agent) throw new Error('the far host has no agent yet');
    return this.#agent;
  }

  /** Kills the agent and starts it again, as its service manager would. */
  async killAgent(): Promise<void> {
    this.agent.kill('SIGKILL');
    await this.agent.ended;
    this.startAgent();
  }

  /** How many of the tasks have ended, as the agent's journal says. */
  countEnds(taskIds: readonly string[]): number {
    const lines = readFileSync(join(this.directory, 'host', 'journal'), 'utf8').split('\n');
    return taskIds.filter((id) => lines.some((line) => line.includes(id) && line.includes('"finished"'))).length;
  }

  /** Sets how far the clocks of the agent and of its terminals are off; they step at once. */
  setClock(offsetMs: number): void {
    writeFileSync(this.#clockFile, String(offsetMs));
  }

  /** Leaves not a byte on the disk. */
  fillDisk(): void {
    const file = openSync(this.#ballast, 'w');
    try {
      for (const sizeBytes of [MIB, 4096, 1]) writeUntilFull(file, Buffer.alloc(sizeBytes));
    } finally {
      closeSync(file);
    }
  }

  clearDisk(): void {
    rmSync(this.#ballast, { force: true });
  }

  get #ballast(): string {
    return join(this.directory, 'ballast');
  }

  /** Ends the agent; terminals that still run are the caller's. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.clearDisk();
    this.agent.kill('SIGCONT');
    this.agent.kill('SIGTERM');
    await this.agent.ended;
    await this.proxy.close();
    for (const { pid } of this.#listTerminals()) process.kill(pid, 'SIGKILL');
    await waitFor(() => this.#listTerminals().length === 0, { what: 'an end of the far terminals' });
    if (!this.hasDisk) return;
    const isGone = () => spawnSync('umount', [this.directory]).status === 0;
    await waitFor(isGone, { what: 'the far disk unmounted' });
  }

  #listTerminals() {
    return this.#options.stack.processes('terminal').filter(({ folder }) => folder.startsWith(this.directory));
  }
}

const writeUntilFull = (file: number, block: Buffer): void => {
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
};
