/** The platform of a simulated host: its terminals do what chance says, and keep a true record of it. */
import { TaskType, TerminalStatus, type TaskStep } from '@berth/contract';
import {
  toProof,
  type AttemptContext,
  type AttemptOutcome,
  type Observation,
  type PlatformRegistry,
  type TerminalDriver,
} from '@berth/testing/simulation';
import type { Random } from '../random.ts';
import { toAttemptText, type Truth } from '../truth.ts';
import type { VirtualDisk } from './virtual-disk.ts';
import type { VirtualProcess } from './virtual-process.ts';

/** The content of a host's folder for one terminal; survives every crash. */
export interface Installed {
  isRunning: boolean;
  status: typeof TerminalStatus.ACTIVE | typeof TerminalStatus.DISCONNECTED;
}

export interface TerminalsOptions {
  installed: Map<string, Installed>;
  disk: VirtualDisk;
  process: VirtualProcess;
  truth: Truth;
  random: Random;
  /** Whether work may last long, or hang: not once the faults have ended, when everything has to end. */
  isRestless: () => boolean;
}

const PLATFORM = 'sandbox';
/** How an attempt passes its time, by weight. */
const ways = { short: 85, long: 11, deaf: 3, hanging: 0.7, stubborn: 0.3 };

const toStep = (fence: number, code: TaskStep['code'], data = {}): TaskStep => ({
  step: 'work',
  ok: code === null,
  code,
  message: toAttemptText(fence),
  at: '2026-01-01T00:00:00.000Z',
  data,
});

class VirtualTerminal implements TerminalDriver {
  readonly terminalId: string;
  readonly #options: TerminalsOptions;
  readonly #listeners = new Set<(observation: Observation) => void>();
  #isBusy = false;

  constructor(terminalId: string, options: TerminalsOptions) {
    this.terminalId = terminalId;
    this.#options = options;
  }

  get #state(): Installed | undefined {
    return this.#options.installed.get(this.terminalId);
  }

  async carryOut({ task, signal }: AttemptContext): Promise<AttemptOutcome> {
    const { truth, disk, random } = this.#options;
    if (this.#isBusy) truth.fail(`two attempts of the terminal ${this.terminalId} run at once on one host`);
    this.#isBusy = true;
    truth.noteStart(task, disk);
    await this.#work(signal);
    this.#isBusy = false;
    if (signal.aborted) return { kind: 'failed', steps: [toStep(task.fence, 'E_TIMEOUT')] };
    const way = random.weighted({ completed: 80, again: 8, failed: 8, defect: 4 });
    if (way === 'defect') throw new Error('a defect of the driver');
    if (way === 'again') return { kind: 'failed', steps: [toStep(task.fence, 'E_NO_CONNECTION')] };
    if (way === 'failed') return { kind: 'failed', steps: [toStep(task.fence, 'E_AUTH')] };
    this.#apply(task.type);
    truth.noteCompletion(task);
    return { kind: 'completed', steps: [toStep(task.fence, null, toProof(task))] };
  }

  /** Mostly short; sometimes it does not hear that it is aborted, or hangs until it is, or even a while longer. */
  async #work(signal: AbortSignal): Promise<void> {
    const { random, process, isRestless } = this.#options;
    const way = isRestless() ? random.weighted(ways) : 'short';
    if (way === 'short') return process.timing.sleep(random.skewed(1, 3_000), signal);
    if (way === 'long') return process.timing.sleep(random.int(3_000, 40_000), signal);
    if (way === 'deaf') return process.timing.sleep(random.int(10_000, 90_000));
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve());
    });
    if (way === 'stubborn') await process.timing.sleep(random.int(1_000, 12_000));
  }

  #apply(type: number): void {
    const { installed } = this.#options;
    if (type === TaskType.TERMINAL_INSTALL)
      installed.set(this.terminalId, { isRunning: true, status: TerminalStatus.ACTIVE });
    if (type === TaskType.TERMINAL_DESTROY) installed.delete(this.terminalId);
    this.#observe();
  }

  #observe(): void {
    const seen = this.observe();
    if (seen) for (const listener of this.#listeners) listener(seen);
  }

  async reattach(): Promise<boolean> {
    return this.isAlive();
  }

  shouldRun(): boolean {
    return this.#state !== undefined;
  }

  isAlive(): boolean {
    return this.#state?.isRunning === true;
  }

  async restart(): Promise<void> {
    if (this.#state) this.#state.isRunning = true;
  }

  observe(): Observation | undefined {
    const state = this.#state;
    return state && { status: state.status, reason: null };
  }

  onObservation(listener: (observation: Observation) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async stop(): Promise<void> {
    if (this.#state) this.#state.isRunning = false;
  }

  detach(): void {
    this.#listeners.clear();
  }
}

export const createTerminals = (options: TerminalsOptions): PlatformRegistry => ({
  platforms: [PLATFORM],
  open: async ({ id }) => new VirtualTerminal(id, options),
  listInstalled: async () => [...options.installed.keys()].map((id) => ({ id, platform: PLATFORM })),
});
