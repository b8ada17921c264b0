/** A host's machine, and the agents that run on it one after another: the real service on a virtual disk and network. */
import { HEARTBEAT_MS } from '@berth/contract';
import { Lifecycle, type Logger } from '@berth/kit';
import { HostService, AttemptJournal, OutcomeSeal, ServerError } from '@berth/testing/simulation';
import type { Random } from '../random.ts';
import type { Truth } from '../truth.ts';
import type { VirtualDisk } from './virtual-disk.ts';
import type { VirtualNetwork } from './virtual-network.ts';
import { VirtualProcess, WallClock } from './virtual-process.ts';
import { createTerminals, type Installed } from './virtual-terminals.ts';
import type { VirtualTime } from './virtual-time.ts';

const SLOTS = 3;
const seal = new OutcomeSeal('the credential of every simulated host');

export interface MachineParts {
  time: VirtualTime;
  random: Random;
  network: VirtualNetwork;
  truth: Truth;
  log: Logger;
  toSessionId: () => string;
  isRestless: () => boolean;
}

/** How an agent's process ended by itself. */
type AgentEnd = 'stopped' | 'superseded' | 'no journal';

export class VirtualMachine {
  readonly hostId: string;
  readonly disk: VirtualDisk;
  readonly installed: Map<string, Installed>;
  readonly clock: WallClock;
  /** Until when nothing passes between it and any server. */
  cutOffUntilMs = 0;
  /** Until when all its calls are answered by somebody else. */
  answeredByOthersUntilMs = 0;
  /** Whether it is kept from starting its agent again. */
  isDown = false;
  process: VirtualProcess | undefined;
  /** The newest agent's session, and what its journal holds. */
  sessionId: string | undefined;
  ledger: AttemptJournal['ledger'] | undefined;
  readonly #parts: MachineParts;
  #stopping = new AbortController();

  constructor(hostId: string, disk: VirtualDisk, installed: Map<string, Installed>, parts: MachineParts) {
    this.hostId = hostId;
    this.disk = disk;
    this.installed = installed;
    this.clock = new WallClock(parts.time);
    this.#parts = parts;
  }

  get isRunning(): boolean {
    return this.process?.isAlive === true;
  }

  /** Starts an agent, which is restarted a few seconds after it ended by itself, as by an init system. */
  start(onEnd: (end: AgentEnd) => void = () => undefined): void {
    if (this.isRunning || this.isDown) return;
    const { time, random, network, truth, log, toSessionId, isRestless } = this.#parts;
    const process = new VirtualProcess(time, this.clock, random);
    this.process = process;
    this.#stopping = new AbortController();
    const sessionId = toSessionId();
    this.sessionId = sessionId;
    this.ledger = undefined;
    const lifecycle = new Lifecycle();
    const files = this.disk.mountFor(process);
    const service = new HostService(
      {
        server: network.connect(this, process, sessionId),
        openJournal: async () => {
          const journal = await AttemptJournal.open({ path: 'journal', files, compactAfterBytes: 4_000 });
          truth.checkRecovered(this.hostId, this.disk, journal.ledger);
          this.ledger = journal.ledger;
          this.#watch(journal);
          return journal;
        },
        seal,
        registry: createTerminals({ installed: this.installed, disk: this.disk, process, truth, random, isRestless }),
        slots: SLOTS,
        heartbeatMs: HEARTBEAT_MS,
        timing: process.timing,
        log,
      },
      lifecycle,
    );
    void service
      .run(this.#stopping.signal, () => 'detach')
      .then(
        () => 'stopped' as const,
        (error: unknown) => this.#toEnd(error),
      )
      .then(async (end) => {
        await lifecycle.close().catch(() => undefined);
        process.kill();
        onEnd(end);
      });
  }

  /** What the agent forgets must be over at the server. */
  #watch(journal: AttemptJournal): void {
    const note = journal.note.bind(journal);
    journal.note = (entry) => {
      if (entry.kind === 'acknowledged') this.#parts.truth.checkForgotten(this.hostId, entry);
      note(entry);
    };
  }

  /** An agent may end because another one took over, or because the disk refuses its journal. Anything else is a defect. */
  #toEnd(error: unknown): AgentEnd {
    if (error instanceof ServerError && error.code === 'session_superseded') return 'superseded';
    if (['ENOSPC', 'EIO'].includes((error as { code?: string }).code ?? '')) return 'no journal';
    this.#parts.truth.fail(`an agent ended by a defect: ${(error as Error).stack}`);
    return 'stopped';
  }

  /** SIGTERM. */
  stop(): void {
    this.#stopping.abort();
  }

  /** kill -9: what was written stays, the servers hear that the connections closed. */
  kill(): void {
    this.process?.kill();
    this.#parts.network.dropClient(this.process, true);
  }

  /** The machine loses its power: what was not confirmed may be lost, and no process hears of it. */
  losePower(): void {
    this.process?.kill();
    this.#parts.network.dropClient(this.process, false);
    this.disk.loseUnsynced();
    for (const terminal of this.installed.values()) terminal.isRunning = false;
  }
}
