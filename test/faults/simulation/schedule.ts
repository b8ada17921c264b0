/** One schedule: a world made from a seed, some hundred steps full of faults, then calm until everything has ended. */
import { HostStatus, isFinalTaskStatus, MAX_ATTEMPTS, TaskStatus, TerminalStatus, toDeadlineMs } from '@berth/contract';
import { AttemptJournal } from '@berth/testing/simulation';
import { endFaults, injectFault, keepHostsAway, pickWeather } from './faults.ts';
import type { Mutation } from './mutations.ts';
import { Random } from './random.ts';
import { Users } from './users.ts';
import './world/plain-abort.ts';
import { whileQuiet } from './world/quiescence.ts';
import { VirtualProcess } from './world/virtual-process.ts';
import { World } from './world/world.ts';

/** Steps under fire: messages, statements, disk writes, users, faults. Routine (ticks, polls, timers) is not counted. */
export const STEPS = 200;
const ATTEMPT_EXTRA_MS = 130_000;
/** How much later than they should ticks and timers may come in a world. */
const SLACKS_MS = [0, 500, 2_500];
/** In the calm at the end they are late: fewer of them, same promises. */
const CALM_SLACK_MS = 3_000;
/** One schedule in this many has a long absence, and costs as much as several others. */
const AWAY_EVERY = 200;
const MIN_BOUND_MS = 180_000;
/** A lost answer to a call (40 s with its repetition), then what a lost hint leaves to the refresh once per minute. */
const SETTLE_MS = 150_000;
/** An agent that is asked to stop lets attempts continue for 10 s and flushes for 2 s. */
const STOP_MS = 60_000;

export interface ScheduleOptions {
  seed: number;
  mutation?: Mutation | undefined;
  trace?: ((text: string) => void) | undefined;
}

export interface ScheduleEnd {
  seed: number;
  violation: string | undefined;
  steps: number;
  /** All events, routine too. */
  events: number;
  tasks: number;
  attempts: number;
  virtualMs: number;
  faults: Map<string, number>;
  moves: Map<string, number>;
}

class Schedule {
  readonly #world: World;
  readonly #users: Users;
  readonly #seed: number;
  #steps = 0;
  #events = 0;

  constructor({ seed, mutation, trace }: ScheduleOptions) {
    this.#world = new World({ random: new Random(seed), mutation, trace });
    this.#users = new Users(this.#world);
    this.#seed = seed;
  }

  async run(): Promise<ScheduleEnd> {
    const { truth, time, faults, database } = this.#world;
    try {
      await this.#play();
    } catch (error) {
      truth.fail(`the simulation broke: ${(error as Error).stack}`);
    }
    const { violation, moves, starts } = truth;
    const figures = { steps: this.#steps, events: this.#events, tasks: database.tables.tasks.size };
    return { seed: this.#seed, violation, ...figures, attempts: starts.size, virtualMs: time.nowMs, faults, moves };
  }

  async #play(): Promise<void> {
    this.#build();
    await this.#underFire();
    await this.#calmDown();
    if (!this.#world.truth.violation) await this.#checkEnd();
  }

  #build(): void {
    const world = this.#world;
    const { random } = world;
    world.weather = world.usualWeather = pickWeather(world);
    world.time.slackMs = random.pick(SLACKS_MS);
    world.startServer();
    if (random.chance(0.6)) world.startServer();
    const hosts = random.int(1, 3);
    for (let count = 0; count < hosts; count += 1) world.createHost();
    for (let count = random.int(hosts, 5); count > 0; count -= 1) world.createTerminal(random.pick(world.machines));
    for (const machine of world.machines) world.keepRunning(machine);
    this.#repeat(random.int(300, 2_500), () => this.#users.act());
    const restless = random.pick([4_000, 8_000, 15_000]);
    this.#repeat(restless, () => injectFault(world));
  }

  /** Does something again and again until the faults end, each time after up to twice this time. */
  #repeat(ms: number, act: () => void): void {
    const { time, random } = this.#world;
    const again = () => {
      if (this.#steps >= STEPS) return;
      act();
      time.after(random.int(1, 2 * ms), again, true);
    };
    time.after(random.int(1, 2 * ms), again, true);
  }

  /** Takes one event; what follows from it has happened, and is checked, at the next quiet. @returns false when none is left */
  #takeEvent(): boolean {
    const timer = this.#world.time.next();
    if (!timer) return false;
    this.#events += 1;
    if (timer.isStep) this.#steps += 1;
    timer.run?.();
    return true;
  }

  #underFire(): Promise<void> {
    const { truth } = this.#world;
    return whileQuiet(() => {
      truth.checkState();
      return this.#steps < STEPS && !truth.violation && this.#takeEvent();
    });
  }

  async #calmDown(): Promise<void> {
    const world = this.#world;
    const { time } = world;
    world.say(() => 'the faults end');
    endFaults(world);
    const awayMs = this.#seed % AWAY_EVERY === 0 ? keepHostsAway(world) : 0;
    time.slackMs = CALM_SLACK_MS;
    await this.#until(() => this.#describeOpen(), awayMs + this.#toBoundMs());
    await this.#until(() => this.#describeUnsettled(), awayMs + SETTLE_MS);
  }

  /** Goes on until nothing is missing any more; it is a violation when that takes longer than the bound. */
  #until(describeMissing: () => string | undefined, boundMs: number): Promise<void> {
    const { truth, time } = this.#world;
    const untilMs = time.nowMs + boundMs;
    return whileQuiet(() => {
      truth.checkState();
      const missing = describeMissing();
      if (time.nowMs > untilMs) truth.fail(`not in time: ${missing}`);
      if (truth.violation || missing === undefined) return false;
      if (this.#takeEvent()) return true;
      truth.fail(`nothing happens any more: ${missing}`);
      return false;
    });
  }

  /** The most that the work of the busiest terminal may take, one task after another, each with all its attempts. */
  #toBoundMs(): number {
    const { tasks } = this.#world.database.tables;
    const { truth, time } = this.#world;
    const byTerminal = new Map<string, number>();
    for (const { terminal_id: id, type, status } of tasks.values()) {
      if (isFinalTaskStatus(status)) continue;
      const ms = MAX_ATTEMPTS * (toDeadlineMs(TaskStatus.RUNNING, type) + ATTEMPT_EXTRA_MS);
      byTerminal.set(id, (byTerminal.get(id) ?? 0) + ms);
    }
    // Time that was skipped in the last of the steps is compensated for by the next tick only.
    const extraMs = Math.max(0, truth.compensatedMs - time.skippedMs);
    return MIN_BOUND_MS + Math.max(0, ...byTerminal.values()) + extraMs;
  }

  /** Tasks that have not ended. */
  #describeOpen(): string | undefined {
    for (const { status, type, host_id: hostId } of this.#world.database.tables.tasks.values()) {
      if (!isFinalTaskStatus(status)) return `a task of type ${type} in status ${status} on ${hostId ?? 'no host'}`;
    }
    return undefined;
  }

  /** What servers and hosts do not yet agree on. */
  #describeUnsettled(): string | undefined {
    const { machines, database } = this.#world;
    const { hosts, terminals, leases } = database.tables;
    if (leases.size > 0) return 'a lease is left';
    for (const machine of machines) {
      const host = hosts.get(machine.hostId);
      if (!machine.isRunning) return 'an agent is not running';
      if (host?.status !== HostStatus.ONLINE || host.session_id !== machine.sessionId)
        return 'an agent is not in service';
      if (machine.ledger === undefined || machine.ledger.size > 0) return 'a journal holds an attempt';
      for (const [id, { isRunning }] of machine.installed) {
        const terminal = terminals.get(id);
        if (terminal?.host_id !== machine.hostId || terminal.deleted_at !== null) continue;
        if (terminal.status === TerminalStatus.UNREACHABLE) return 'a terminal is unreachable, its host is not';
        if (!isRunning) return 'a terminal was not started again';
      }
    }
    return undefined;
  }

  /** The agents end when asked to, and nothing is left over anywhere. */
  async #checkEnd(): Promise<void> {
    const { truth, machines, time, random } = this.#world;
    truth.checkDeadlines();
    for (const machine of machines) {
      machine.isDown = true;
      machine.stop();
    }
    await this.#until(
      () => (machines.some(({ isRunning }) => isRunning) ? 'an agent does not end' : undefined),
      STOP_MS,
    );
    for (const { disk, clock } of machines) {
      const files = disk.mountFor(new VirtualProcess(time, clock, random));
      const { ledger } = await AttemptJournal.open({ path: 'journal', files });
      if (ledger.size > 0 && !truth.violation) truth.fail(`a journal still holds ${ledger.size} attempts`);
    }
  }
}

export const runSchedule = (options: ScheduleOptions): Promise<ScheduleEnd> => new Schedule(options).run();
