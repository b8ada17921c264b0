/** What the host reports about its machine: memory, how many terminals fit in it, disk, load, and what it offers. */
import { statfs } from 'node:fs/promises';
import { availableParallelism, freemem, loadavg, totalmem } from 'node:os';
import type { HostBase, HostFacts } from '@berth/contract/agent';
import { cutText, toSingleLine } from '@berth/contract/values';
import type { Logger } from '@berth/kit';
import type { OfferDescription } from '../platforms/driver.ts';

const MEGABYTE = 1024 * 1024;
/** Memory reserved for the system: a gibibyte, or an eighth on a small machine. */
const RESERVE_MB = 1_024;
/** What changes all the time is reported in steps. */
const AVAILABLE_STEP_MB = 256;
const DISK_STEP_MB = 1_024;
const LOAD_STEP_PERCENT = 10;

const MAX_MEGABYTES = 67_108_864;
const MAX_BASES = 50;

export interface Memory {
  totalMb: number;
  availableMb: number;
}

export interface Machine {
  memory: Memory;
  /** Undefined where the system does not say. */
  disk: Memory | undefined;
  loadPercent: number;
}

/** Of the machine, or of the control group that the agent runs in. */
const readMemory = (): Memory => {
  const constrained = process.constrainedMemory();
  const total = constrained > 0 ? Math.min(totalmem(), constrained) : totalmem();
  return { totalMb: Math.floor(total / MEGABYTE), availableMb: Math.floor(Math.min(total, freemem()) / MEGABYTE) };
};

const readDisk = async (folder: string): Promise<Memory | undefined> => {
  const disk = await statfs(folder).catch(() => undefined);
  const toMb = (blocks: number): number => Math.floor((blocks * disk!.bsize) / MEGABYTE);
  return disk && { totalMb: toMb(disk.blocks), availableMb: toMb(disk.bavail) };
};

/** @param folder where its terminals lie */
export const readMachine = async (folder: string): Promise<Machine> => ({
  memory: readMemory(),
  disk: await readDisk(folder),
  loadPercent: ((loadavg()[1] ?? 0) / availableParallelism()) * 100,
});

/**
 * How many terminals fit into the memory. Where several platforms are offered, each slot must fit any of them. Pure.
 * @param hosts that share the machine
 */
export const toMemoryCapacity = (totalMb: number, offers: readonly OfferDescription[], hosts: number): number => {
  const placeMb = Math.max(1, ...offers.map(({ terminalMemoryMb }) => terminalMemoryMb));
  const usableMb = totalMb - Math.min(RESERVE_MB, totalMb / 8);
  return Math.floor(usableMb / Math.max(1, hosts) / placeMb);
};

const toText = (text: string, maxLength: number): string => cutText(toSingleLine(text), maxLength) || 'unknown';

/** Names of bases are folder names: whatever they are, the server must not refuse the rest because of one. */
const toBases = (bases: readonly HostBase[]): HostBase[] =>
  bases.slice(0, MAX_BASES).map(({ name, build, current }) => ({
    name: toText(name, 64),
    build: build !== null && Number.isInteger(build) && build >= 0 && build <= 1_000_000_000 ? build : null,
    current,
  }));

const toMegabytes = (megabytes: number, step = 1): number =>
  Math.min(MAX_MEGABYTES, Math.floor(megabytes / step) * step);

/** What fits the protocol. Pure. */
export const toHostFacts = (
  { memory, disk, loadPercent }: Machine,
  offers: readonly OfferDescription[],
  hosts: number,
): HostFacts => ({
  memory_total_mb: toMegabytes(memory.totalMb),
  memory_available_mb: toMegabytes(memory.availableMb, AVAILABLE_STEP_MB),
  memory_capacity: Math.min(1_000_000, toMemoryCapacity(memory.totalMb, offers, hosts)),
  ...(disk && {
    disk_total_mb: toMegabytes(disk.totalMb),
    disk_available_mb: toMegabytes(disk.availableMb, DISK_STEP_MB),
  }),
  load_percent: Math.min(1_000_000, Math.round(loadPercent / LOAD_STEP_PERCENT) * LOAD_STEP_PERCENT),
  offers: offers.map(({ platform, launcher, isolation, bases }) => ({
    platform,
    launcher: toText(launcher, 32),
    isolation: toText(isolation, 64),
    bases: toBases(bases),
  })),
});

/** Remembers what was reported last, so that only changes are reported. */
export class FactReporter {
  readonly #describe: () => Promise<HostFacts>;
  readonly #log: Logger;
  #facts: HostFacts | undefined;
  #reported: string | undefined;

  constructor(describe: () => Promise<HostFacts>, log: Logger) {
    this.#describe = describe;
    this.#log = log;
  }

  /** Reads the facts again. If that fails, the known ones are kept. */
  async refresh(): Promise<HostFacts | undefined> {
    try {
      this.#facts = await this.#describe();
    } catch (error) {
      this.#log.warn({ err: error }, 'what this host offers could not be read');
    }
    return this.#facts;
  }

  get news(): HostFacts | undefined {
    return this.#facts && JSON.stringify(this.#facts) !== this.#reported ? this.#facts : undefined;
  }

  /** The server has accepted them. */
  noteReported(facts: HostFacts | undefined): void {
    if (facts) this.#reported = JSON.stringify(facts);
  }
}
