/** One schedule: a world made from a seed, some hundred steps full of faults, then calm until everything has ended. */
import { isFinalTaskStatus, MAX_ATTEMPTS, TaskStatus, TerminalStatus, toDeadlineMs } from '@berth/contract';
import { Journal } from '@berth/testing/simulation';
import { endFaults, injectFault, pickWeather } from './faults.ts';
import type { Mutation } from './mutations.ts';
import { Random } from './random.ts';
import { Users } from './users.ts';
import { VirtualProcess } from './world/virtual-process.ts';
import { World } from './world/world.ts';

/** Steps under fire: messages, statements, disk writes, users, faults. Routine (ticks, polls, timers) is not counted. */
export const STEPS = 200;
/** So many turns of the event loop let every consequence of a step happen: batchers wait one turn for company. */
const TURNS = 3;
const ATTEMPT_EXTRA_MS = 130_000;
/** In the calm at the end, ticks and timers may come this much later than they should: fewer of them, same promises. */
const CALM_SLACK_MS = 3_000;
const MIN_BOUND_MS = 180_000;

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

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

class Schedule {
  readonly #world: World;
  readonly #users: Users;
  #steps = 0;
  #events = 0;

  constructor({ seed, mutation, trace }: ScheduleOptions) {
    this.#world = new World({ random: new Random(seed), mutation, trace });
    this.#users = new Users(this.#world);
  }

  async run(seed: number): Promise<ScheduleEnd> {
    const { truth, time, faults, database } = this.#world;
    try {
      await this.#play();
    } catch (error) {
      truth.fail(`the simulation broke: ${(error as Error).stack}`);
    }
    const { violation, moves, starts } = truth;
    const figures = { steps: this.#steps, events: this.#events, tasks: database.tables.tasks.size };
    return { seed, violation, ...figures, attempts: starts.size, virtualMs: time.nowMs, faults, moves };
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

  /** Takes one event. @returns false when nothing will ever happen again */
  async #step(): Promise<boolean> {
    const timer = this.#world.time.next();
    if (!timer) return false;
    this.#events += 1;
    if (timer.isStep) this.#steps += 1;
    timer.run?.();
    await settle();
    this.#world.truth.checkState();
    return true;
  }

  async #underFire(): Promise<void> {
    const { truth } = this.#world;
    while (this.#steps < STEPS && !truth.violation && (await this.#step()));
  }

  async #calmDown(): Promise<void> {
    const world = this.#world;
    const { truth, time } = world;
    world.say(() => 'the faults end');
    endFaults(world);
    for (const server of world.servers) server.slackMs = CALM_SLACK_MS;
    for (const machine of world.machines) {
      machine.slackMs = CALM_SLACK_MS;
      if (machine.process) machine.process.slackMs = CALM_SLACK_MS;
    }
    const untilMs = time.nowMs + this.#toBoundMs();
    while (!truth.violation && !this.#isQuiet()) {
      if (!(await this.#step())) return truth.fail('nothing happens any more, and not everything has ended');
      if (time.nowMs > untilMs) return truth.fail(`not everything ended in time: ${this.#describeOpen()}`);
    }
  }

  /** The most that the work of the busiest terminal may take, one task after another, each with all its attempts. */
  #toBoundMs(): number {
    const { tasks } = this.#world.database.tables;
    const { truth } = this.#world;
    const byTerminal = new Map<string, number>();
    for (const { terminal_id: id, type, status } of tasks.values()) {
      if (isFinalTaskStatus(status)) continue;
      const ms = MAX_ATTEMPTS * (toDeadlineMs(TaskStatus.RUNNING, type) + ATTEMPT_EXTRA_MS);
      byTerminal.set(id, (byTerminal.get(id) ?? 0) + ms);
    }
    return MIN_BOUND_MS + Math.max(0, ...byTerminal.values()) + truth.excusedMs;
  }

  #isQuiet(): boolean {
    const { tables } = this.#world.database;
    for (const { status } of tables.tasks.values()) if (!isFinalTaskStatus(status)) return false;
    return this.#world.machines.every(({ isRunning }) => isRunning);
  }

  #describeOpen(): string {
    const open = [...this.#world.database.tables.tasks.values()].filter(({ status }) => !isFinalTaskStatus(status));
    return JSON.stringify(
      open.map(({ status, type, host_id, terminal_id }) => ({ status, type, host_id, terminal_id })),
    );
  }

  /** The agents end when they are told to, and nothing is left over anywhere. */
  async #checkEnd(): Promise<void> {
    const { truth, machines, database, time } = this.#world;
    truth.checkDeadlines();
    if (database.tables.leases.size > 0) truth.fail('a lease is left');
    await this.#pass(12_000);
    for (const { status, host_id: hostId, deleted_at: deletedAt } of database.tables.terminals.values()) {
      const isLost = status === TerminalStatus.UNREACHABLE && deletedAt === null;
      if (isLost && hostId !== null) truth.fail('a terminal is still unreachable though its host is back');
    }
    for (const machine of machines) {
      machine.isDown = true;
      machine.stop();
    }
    const untilMs = time.nowMs + 60_000;
    while (machines.some(({ isRunning }) => isRunning) && time.nowMs < untilMs && (await this.#step()));
    for (const { isRunning, disk, clock } of machines) {
      if (isRunning) truth.fail('an agent did not end when it was told to');
      const reader = new VirtualProcess(time, clock, this.#world.random);
      const opening = Journal.open({ path: 'journal', files: disk.mountFor(reader) });
      await settle();
      const { ledger } = await opening;
      if (ledger.size > 0 && !truth.violation) truth.fail(`a journal still holds ${ledger.size} attempts`);
    }
  }

  async #pass(ms: number): Promise<void> {
    const untilMs = this.#world.time.nowMs + ms;
    while (this.#world.time.nowMs < untilMs && (await this.#step()));
  }
}

export const runSchedule = (options: ScheduleOptions): Promise<ScheduleEnd> => new Schedule(options).run(options.seed);
