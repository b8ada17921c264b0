/**
 * One simulated world: two servers on one store, some hosts with their agents, users who create tasks; one clock, one source
 * of chance, one record of what really happened.
 */
import { HostStatus, LEASE_MS, TerminalStatus } from '@berth/contract';
import type { Logger } from '@berth/kit';
import type { Random } from '../random.ts';
import type { Mutation } from '../mutations.ts';
import { insertHost } from '../store/host-statements.ts';
import { MemoryDatabase, statements, type Answers } from '../store/memory-database.ts';
import { Truth } from '../truth.ts';
import { calm, type Weather } from '../weather.ts';
import { VirtualMachine } from './virtual-agent.ts';
import { VirtualDisk } from './virtual-disk.ts';
import { VirtualNetwork } from './virtual-network.ts';
import { EPOCH_MS } from './virtual-process.ts';
import { VirtualServer } from './virtual-server.ts';
import { VirtualTime } from './virtual-time.ts';

export const USER_ID = '00000000-0000-4000-8001-000000000001';
/** As in the scheduler: shorter ones are compensated by nothing, they only make it look a little later. */
const DOWNTIME_MS = 5_000;
const TASK_ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}/g;

const toId = (kind: number, number: number): string =>
  `00000000-0000-4000-800${kind}-${number.toString(16).padStart(12, '0')}`;

/** Says nothing but errors; one that does what pino's does would cost more than the rest of a step. */
const createLog = (noteError: (error: unknown) => void, trace: ((text: string) => void) | undefined): Logger => {
  const write = (level: string) => (first: unknown, text?: unknown) =>
    trace?.(`  ${level}: ${typeof first === 'string' ? first : String(text)}`);
  const writeError = write('error');
  const log = {
    debug: () => undefined,
    info: trace ? write('info') : () => undefined,
    warn: trace ? write('warn') : () => undefined,
    error: (first: { err?: unknown } | string, text?: unknown) => {
      if (typeof first !== 'string') noteError(first.err);
      writeError(first, text);
    },
    child: () => log,
  };
  return log as unknown as Logger;
};

export interface WorldOptions {
  random: Random;
  mutation?: Mutation | undefined;
  /** Called with every event of interest. */
  trace?: ((text: string) => void) | undefined;
}

export class World {
  readonly time = new VirtualTime();
  readonly random: Random;
  readonly database: MemoryDatabase;
  readonly truth: Truth;
  readonly network: VirtualNetwork;
  /** How often each fault was injected. */
  readonly faults = new Map<string, number>();
  servers: VirtualServer[] = [];
  machines: VirtualMachine[] = [];
  weather: Weather = calm;
  /** What a storm gives way to. */
  usualWeather: Weather = calm;
  isDatabaseAway = false;
  /** Until the faults end. */
  isRestless = true;
  /** By how much the database's clock was set. */
  databaseOffsetMs = 0;
  /** The furthest that it was ever set ahead. */
  latestOffsetMs = 0;
  readonly #trace: ((text: string) => void) | undefined;
  readonly #log: Logger;
  readonly #mutation: Mutation | undefined;
  readonly #taskNames = new Map<string, string>();
  #made = 0;
  #tickedAtMs = 0;

  constructor({ random, mutation, trace }: WorldOptions) {
    this.random = random;
    this.#trace = trace;
    this.#mutation = mutation;
    const now = () => EPOCH_MS + this.time.nowMs + this.databaseOffsetMs;
    this.database = new MemoryDatabase(now, { ...mutation?.answers, ...this.#watch(mutation) });
    this.truth = new Truth(
      this.database.tables,
      () => this.time.nowMs,
      () => this.database.now,
    );
    const noteError = (error: unknown) => this.truth.noteLoggedError(error);
    this.#log = createLog(noteError, trace && ((text) => this.say(() => text)));
    this.network = new VirtualNetwork(this);
    const { rewriteEvents, believesStrangers } = mutation ?? {};
    if (believesStrangers) this.network.believeStrangers();
    if (rewriteEvents) this.network.rewrite = (events) => rewriteEvents(events, this.database.tables);
  }

  /** Time in which no server was up, and the grace that follows it, count for no deadline. Losses of hosts are counted. */
  #watch(mutation: Mutation | undefined): Answers {
    const noteTick = mutation?.answers?.note_tick ?? statements.note_tick!;
    const claim = mutation?.answers?.claim_tasks ?? statements.claim_tasks!;
    return {
      note_tick: (tables, now, values) => {
        const before = this.#tickedAtMs;
        tables.undo?.push(() => (this.#tickedAtMs = before));
        const gapMs = this.time.nowMs - before;
        this.#tickedAtMs = this.time.nowMs;
        if (gapMs > DOWNTIME_MS) this.truth.compensateDowntime(gapMs);
        this.truth.checkDeadlines();
        // A clock that was set looks like a gap, too.
        if (Math.abs(now - tables.scheduler.last_run_at) > DOWNTIME_MS) this.truth.compensate(LEASE_MS);
        return noteTick(tables, now, values);
      },
      complete_tick: (tables, now, values) => {
        const before = this.#tickedAtMs;
        tables.undo?.push(() => (this.#tickedAtMs = before));
        this.#tickedAtMs = this.time.nowMs;
        return statements.complete_tick!(tables, now, values);
      },
      mark_lost_hosts: (tables, now, values) => {
        const lost = statements.mark_lost_hosts!(tables, now, values);
        for (let count = lost.length; count > 0; count -= 1) this.count('host declared lost');
        return lost;
      },
      touch_hosts: (tables, now, values) => {
        const touched = statements.touch_hosts!(tables, now, values);
        for (const host of touched) if ('was_lost' in host && host.was_lost) this.count('lost host back');
        return touched;
      },
      renew_leases: (tables, now, values) => {
        const renewed = statements.renew_leases!(tables, now, values) as { task_id: string }[];
        for (const { task_id: taskId } of renewed) this.truth.noteSign(taskId);
        return renewed;
      },
      claim_tasks: (tables, now, values) => {
        const inHand = new Set([...tables.leases.values()].map((lease) => lease.task_id));
        const claimed = claim(tables, now, values) as { id: string }[];
        if (claimed.some(({ id }) => inHand.has(id))) this.count('delivery handed out again');
        return claimed;
      },
      start_session: (tables, now, values) => {
        if (tables.hosts.get(values[0] as string)?.status === HostStatus.LOST) this.count('lost host back');
        return statements.start_session!(tables, now, values);
      },
    };
  }

  /** Task ids mean nothing to a reader; a trace numbers them in the order of their first mention. */
  say(toText: () => string): void {
    if (!this.#trace) return;
    const text = toText().replace(TASK_ID, (id) => {
      if (!this.#taskNames.has(id)) this.#taskNames.set(id, `task ${this.#taskNames.size + 1}`);
      return this.#taskNames.get(id)!;
    });
    this.#trace(`${(this.time.nowMs / 1000).toFixed(3).padStart(10)} ${text}`);
  }

  count(fault: string): void {
    this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
    if (this.#trace) this.say(() => `fault: ${fault}`);
  }

  nameOf(machine: VirtualMachine): string {
    return `host ${[...this.database.tables.hosts.keys()].indexOf(machine.hostId)}`;
  }

  toNextId(kind: number): string {
    this.#made += 1;
    return toId(kind, this.#made);
  }

  startServer(): VirtualServer {
    const server = new VirtualServer(this.toNumber(), this, this.#log);
    this.servers.push(server);
    return server;
  }

  toNumber(): number {
    this.#made += 1;
    return this.#made;
  }

  killServer(server: VirtualServer): void {
    server.process.kill();
    this.servers = this.servers.filter((other) => other !== server);
    this.network.dropServer(server);
  }

  /** A host that has been enrolled, on a machine of its own. */
  createHost(): VirtualMachine {
    const id = this.toNextId(3);
    insertHost(this.database.tables, { id, name: id, capacity: 10 });
    return this.addMachine(id, new VirtualDisk(this.random, this.#mutation?.disk), new Map());
  }

  addMachine(hostId: string, disk: VirtualDisk, installed: VirtualMachine['installed']): VirtualMachine {
    const machine = new VirtualMachine(hostId, disk, installed, {
      time: this.time,
      random: this.random,
      network: this.network,
      truth: this.truth,
      log: this.#log,
      toSessionId: () => this.toNextId(5),
      isRestless: () => this.isRestless,
    });
    this.machines.push(machine);
    return machine;
  }

  removeMachine(machine: VirtualMachine): void {
    machine.isDown = true;
    machine.kill();
    this.machines = this.machines.filter((other) => other !== machine);
  }

  /** Starts the machine's agent, and starts it again some seconds after each end, as an init system does. */
  keepRunning(machine: VirtualMachine): void {
    machine.start((end) => {
      this.say(() => `${this.nameOf(machine)}: the agent ended (${end})`);
      if (end === 'superseded') this.count('superseded agent');
      this.time.after(this.random.int(1_000, 5_000), () => {
        if (this.machines.includes(machine)) this.keepRunning(machine);
      });
    });
  }

  /** A terminal that has been installed on the machine, or one that still waits for a host. */
  createTerminal(machine: VirtualMachine | undefined): string {
    const id = this.toNextId(4);
    const now = this.database.now;
    const { tables } = this.database;
    tables.put(tables.terminals, id, {
      id,
      user_id: USER_ID,
      host_id: machine?.hostId ?? null,
      region_id: 0,
      platform: 'sandbox',
      name: id,
      server_name: 'Demo',
      login: '1',
      path: null,
      locked_reason: null,
      trading_allowed: null,
      trading_reason: null,
      status: machine ? TerminalStatus.ACTIVE : TerminalStatus.PENDING,
      status_reason: null,
      announced_status: null,
      synced_at: null,
      waiting_since: machine ? null : now - tables.scheduler.time_lost,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    });
    machine?.installed.set(id, { isRunning: true, status: TerminalStatus.ACTIVE });
    return id;
  }
}
