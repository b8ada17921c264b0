/** One server's process: its real decisions, over the shared store, with wake-ups that may get lost. */
import type { Logger } from '@berth/kit';
import {
  AgentCalls,
  AppError,
  DatabaseUnavailableError,
  LongPolls,
  findHosts,
  Scheduler,
  SchedulerPulse,
  TaskClaims,
  TaskEnds,
  TaskInbox,
  Tidying,
  usualTimes,
  Vault,
  type CallingHost,
  type Claim,
  type Queryable,
  type Store,
  type WaitingClaim,
} from '@berth/testing/simulation';
import { never, VirtualProcess, WallClock } from './virtual-process.ts';
import type { World } from './world.ts';

const TICK_MS = 1_000;
const TIDYING_EVERY = 30;
const MAX_SLOW_MS = 2_000;

const vault = new Vault([Buffer.alloc(32, 7)]);
const config = { placementWaitHours: 24, times: usualTimes };
const metrics = { taskEnded: () => undefined };

export class VirtualServer {
  readonly number: number;
  readonly process: VirtualProcess;
  readonly clock: WallClock;
  readonly inbox: TaskInbox;
  readonly ends: TaskEnds;
  readonly store: Store & { slow: Queryable };
  readonly #world: World;
  readonly #calls: AgentCalls;
  readonly #scheduler: Scheduler;
  readonly #tidying: Tidying;
  readonly #polls: LongPolls;
  #ticks = 0;

  constructor(number: number, world: World, log: Logger) {
    this.number = number;
    this.#world = world;
    this.clock = new WallClock(world.time);
    this.process = new VirtualProcess(world.time, this.clock, world.random);
    this.store = this.#createStore();
    this.#polls = new LongPolls((run, ms) => {
      const timer = this.process.after(ms, run);
      return () => (timer.run = undefined);
    });
    const wakeups = {
      wake: (ids: Iterable<string>) => this.#wake(ids),
      listen: (claim: Claim) => this.#polls.listen(claim),
      findWaiting: (hostId: string) => this.#findWaiting(hostId),
    };
    const stopping = new AbortController().signal;
    const random = world.random.next;
    this.ends = new TaskEnds(metrics, this.clock);
    const parts = {
      db: this.store,
      vault,
      wakeups,
      claims: new TaskClaims(this.store, { vault, log, times: usualTimes }),
      ends: this.ends,
      clock: this.clock,
      random,
      log,
      times: usualTimes,
      stopping,
    };
    this.inbox = new TaskInbox(parts);
    this.#calls = new AgentCalls(parts);
    const elapsedMs = () => world.time.nowMs;
    const pulse = new SchedulerPulse(elapsedMs);
    this.#scheduler = new Scheduler({ ...parts, pulse, elapsedMs, config });
    this.#tidying = new Tidying({ ...parts, inbox: this.inbox });
    this.process.after(world.random.int(0, TICK_MS), () => void this.#tick());
  }

  /** Answers a host's call, as the HTTP layer does: first who calls, then what. */
  async serve<Result>(
    hostId: string,
    handle: (calls: AgentCalls, host: CallingHost) => Promise<Result>,
  ): Promise<Result> {
    const [host] = await findHosts(this.store, [hostId]);
    if (!host) throw new AppError('unauthenticated');
    const { id, name, region_id: regionId, session_id: sessionId } = host;
    return handle(this.#calls, { id, name, regionId, sessionId });
  }

  async #tick(): Promise<void> {
    const number = this.#ticks;
    this.#ticks += 1;
    try {
      if (number % TIDYING_EVERY === 0) await this.#tidying.tidy();
      await this.#scheduler.tick();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) {
        this.#world.truth.fail(`a tick failed with a defect: ${(error as Error).stack}`);
      }
    }
    const { random, time } = this.#world;
    const lateMs = random.int(0, time.slackMs);
    this.process.after(TICK_MS + lateMs, () => void this.#tick());
  }

  #createStore(): Store & { slow: Queryable } {
    const { database } = this.#world;
    const queryable: Queryable = { query: (statement, values) => this.#reach(() => database.query(statement, values)) };
    return {
      ...queryable,
      slow: queryable,
      createWritePipeline: () => ({
        ...queryable,
        transact: (calls) =>
          this.#reach(() =>
            database.transaction(async (tx) => {
              const breakable = this.#toBreakable(tx);
              const rows: object[][] = [];
              for (const call of calls) rows.push(await breakable.query(...call));
              return rows;
            }),
          ),
      }),
      transaction: async (callback) => {
        const committed: (() => void)[] = [];
        const afterCommit = (then: () => void) => void committed.push(then);
        const result = await this.#reach(() =>
          database.transaction((tx) => callback({ ...this.#toBreakable(tx), afterCommit })),
        );
        for (const then of committed) then();
        return result;
      },
    };
  }

  /** A transaction whose connection may break at any of its statements: everything before is undone. */
  #toBreakable(tx: Queryable): Queryable {
    const { random, weather } = this.#world;
    return {
      query: (statement, values) => {
        if (!random.chance(weather.brokenStatement)) return tx.query(statement, values);
        this.#world.count('broken transaction, half way');
        return Promise.reject(new DatabaseUnavailableError('broken'));
      },
    };
  }

  /** Asks the database over a connection that may be slow, or break before or after what it carries. */
  #reach<Result>(run: () => Promise<Result>): Promise<Result> {
    if (!this.process.isAlive) return never();
    const { random, weather, isDatabaseAway } = this.#world;
    if (isDatabaseAway) return Promise.reject(new DatabaseUnavailableError('away'));
    const isSlow = random.chance(weather.slowStatement);
    const isBroken = random.chance(weather.brokenStatement);
    return isSlow || isBroken ? this.#reachBadly(run, isSlow, isBroken) : run();
  }

  async #reachBadly<Result>(run: () => Promise<Result>, isSlow: boolean, isBroken: boolean): Promise<Result> {
    const { random } = this.#world;
    const isBefore = random.chance(0.5);
    const name = isBroken ? 'broken statement' : 'slow statement';
    this.#world.count(isBefore ? `${name}, before its effect` : `${name}, after its effect`);
    const suffer = async () => {
      if (isSlow) await new Promise<void>((resolve) => this.process.after(random.int(1, MAX_SLOW_MS), resolve));
      if (isBroken) throw new DatabaseUnavailableError('broken');
    };
    if (isBefore) await suffer();
    const result = await run();
    if (!isBefore) await suffer();
    return result;
  }

  /** Counts what becomes of the claims that are answered by a call that creates tasks. */
  #findWaiting(hostId: string): WaitingClaim | undefined {
    const waiting = this.#polls.findWaiting(hostId);
    if (!waiting) return undefined;
    const answer: WaitingClaim['answer'] = (found) => {
      found.then(
        (tasks) => tasks.length > 0 && this.#world.count('task handed over at its creation'),
        () => this.#world.count('hand-over whose outcome is unknown'),
      );
      waiting.answer(found);
    };
    return { claim: waiting.claim, answer };
  }

  /** Polls in this process directly; otherwise the others are notified. */
  #wake(hostIds: Iterable<string>): void {
    const { random, weather, servers } = this.#world;
    for (const hostId of new Set(hostIds)) {
      if (random.chance(weather.unheard)) this.#world.count('lost wake-up');
      else if (!this.#polls.wake(hostId)) {
        for (const other of servers) {
          if (other !== this) other.process.after(random.skewed(1, 50), () => void other.#polls.wake(hostId));
        }
      }
    }
  }
}
