/** The server's decisions on one store, and a clock that the test sets: what the two sides of the comparison have in common. */
import { ResultStatus, TaskType, toServiceResult, type AgentEvent, type StepCode } from '@berth/contract';
import { createLogger } from '@berth/kit';
import {
  AgentCalls,
  cancelTask,
  destroyWithin,
  LongPolls,
  findHosts,
  insertTerminal,
  reserveHostInTurn,
  Scheduler,
  SchedulerPulse,
  storePassword,
  TaskClaims,
  TaskEnds,
  TaskInbox,
  Tidying,
  toProof,
  usualTimes,
  Vault,
  type CallingHost,
  type Claim,
  type Queryable,
  type Store,
} from '@berth/testing/simulation';
import type { EventShape, HeldShape, Operation } from './operations.ts';

export interface Names {
  tasks: string[];
  terminals: string[];
  hosts: string[];
}

/** Makes ids in the order in which they are asked for, the same on both sides. */
export const toId = (kind: number, number: number): string =>
  `00000000-0000-4000-800${kind}-${number.toString(16).padStart(12, '0')}`;
export const USER_ID = toId(1, 1);
/** Waits in turn with the first one. */
export const OTHER_USER_ID = toId(1, 2);
export const PROJECT_ID = toId(2, 1);

const config = { placementWaitHours: 24, times: usualTimes };
/** What no task of the comparison says, and a proof must. */
const BARE = { url: 'https://harbour.example' };
const noConnection = () => () => undefined;

const toAttempts = (held: HeldShape[], { tasks }: Names) =>
  held.map(({ task, fence }) => ({ task_id: tasks[task] ?? '', fence }));

export class ServerOnStore {
  readonly clock = { now: () => this.nowMs };
  nowMs = 0;
  readonly #db: Store & { slow: Queryable };
  readonly #ends = new TaskEnds({ taskEnded: () => undefined }, this.clock);
  readonly #vault = new Vault([Buffer.alloc(32, 7)]);
  readonly #calls: AgentCalls;
  readonly #scheduler: Scheduler;
  readonly #tidying: Tidying;
  readonly #inbox: TaskInbox;
  readonly #sessions = new Map<string, string>();
  /** No wait of theirs ends by itself. */
  readonly #polls = new LongPolls(() => () => undefined);
  #made = 0;
  /** Hosts that were woken since the last look. */
  #woken = new Set<string>();

  constructor(db: Store & { slow: Queryable }) {
    this.#db = db;
    const wakeups = {
      wake: (ids: Iterable<string>) => void (this.#woken = new Set([...this.#woken, ...ids])),
      listen: (claim: Claim) => this.#polls.listen(claim),
      findWaiting: (hostId: string) => this.#polls.findWaiting(hostId),
    };
    const log = createLogger({ name: 'differential', level: 'silent' });
    const stopping = new AbortController().signal;
    const { clock } = this;
    const random = () => 0.5;
    const times = usualTimes;
    const vault = this.#vault;
    const claims = new TaskClaims(db, { vault, log, times });
    const parts = { db, vault, wakeups, claims, ends: this.#ends, clock, random, log, times, stopping };
    this.#inbox = new TaskInbox(parts);
    this.#calls = new AgentCalls(parts);
    const elapsedMs = () => 0;
    const pulse = new SchedulerPulse(elapsedMs);
    this.#scheduler = new Scheduler({ ...parts, pulse, elapsedMs, config });
    this.#tidying = new Tidying({ ...parts, inbox: this.#inbox });
  }

  /** Carries an operation out. @returns what was answered, with ids replaced by their order */
  async apply(operation: Operation, names: Names): Promise<unknown> {
    const answer = await this.#carryOut(operation, names);
    const woken = [...this.#woken].sort();
    this.#woken = new Set();
    return { answer, woken };
  }

  async #carryOut(operation: Operation, names: Names): Promise<unknown> {
    switch (operation.kind) {
      case 'wait':
        return undefined;
      case 'tick':
        await this.#tidying.tidy();
        return this.#scheduler.tick();
      case 'create terminal':
        return this.#createTerminal();
      case 'create tasks':
        return this.#createTasks(operation, names);
      case 'cancel':
        return this.#cancel(names.tasks[operation.task] ?? '');
      case 'destroy':
        return this.#destroy(names.terminals[operation.terminal] ?? '');
      case 'session':
        return this.#startSession(names.hosts[operation.host] ?? '');
      case 'claim':
        return this.#claim(operation, names);
      case 'heartbeat':
        return this.#heartbeat(operation, names);
      case 'report':
        return this.#report(operation, names);
    }
  }

  async #createTerminal(): Promise<void> {
    this.#made += 1;
    const id = toId(4, this.#made);
    await this.#db.transaction(async (tx) => {
      const hostId = (await reserveHostInTurn(tx, 0, 'sandbox')) ?? null;
      const userId = this.#made % 4 < 2 ? OTHER_USER_ID : USER_ID;
      const owner = { userId, projectId: PROJECT_ID };
      const place = { hostId, region: 0, platform: 'sandbox', statusReason: null };
      await insertTerminal(tx, {
        id,
        ...owner,
        ...place,
        isRegionOpen: false,
        name: 'n',
        serverName: 'Demo',
        login: String(this.#made),
      });
      await storePassword(tx, this.#vault, id, 'stored-password');
      const install = {
        userId,
        terminalId: id,
        type: TaskType.TERMINAL_INSTALL,
        payload: {},
        actor: 'service',
      } as const;
      await this.#inbox.addAllWithin(tx, [install]);
    });
  }

  async #createTasks(
    { requests, waiting = [] }: Operation & { kind: 'create tasks' },
    { terminals, hosts }: Names,
  ): Promise<unknown> {
    const polls = waiting.map(({ host, slots, isStale }) => {
      const hostId = hosts[host] ?? '';
      const sessionId = (isStale ? undefined : this.#sessions.get(hostId)) ?? toId(5, 0);
      return this.#polls.listen({ hostId, sessionId, slots });
    });
    const waits = polls.map((poll) => poll.next(1));
    const rows = await Promise.all(
      requests.map(({ terminal, type, delayMs, password, allowed, isOther }) =>
        this.#inbox.add({
          userId: isOther ? OTHER_USER_ID : USER_ID,
          terminalId: terminals[terminal] ?? '',
          type,
          payload: {
            ...(password === undefined ? {} : { password }),
            ...(allowed === undefined ? {} : { allow_algo_trading: allowed }),
          },
          plannedAt: delayMs === null ? undefined : new Date(this.nowMs + delayMs),
        }),
      ),
    );
    for (const poll of polls) {
      poll.wake();
      poll.stop();
    }
    const given = (await Promise.all(waits)).map((found) =>
      Array.isArray(found) ? found.map(({ id: _id, ...task }) => task) : found,
    );
    const created = rows.map((row) => [row.terminal_status, row.host_id, row.created_at !== null]);
    return { created, given };
  }

  async #findTask(id: string) {
    const [task] = await this.#db.query<{ type: TaskType; payload: Record<string, unknown>; terminal_id: string }>(
      { name: 'lock_tasks', text: 'select type, payload, terminal_id from tasks where id = any($1::uuid[])' },
      [[id]],
    );
    return task;
  }

  async #cancel(taskId: string): Promise<number | undefined> {
    const task = await this.#findTask(taskId);
    const ids = { userId: USER_ID, terminalId: task?.terminal_id ?? '', taskId };
    const result = toServiceResult(ResultStatus.REFUSED, 'cancel', 'E_NOT_RUNNING', 'Canceled.', new Date(this.nowMs));
    return (await cancelTask(this.#db, ids, result))?.status;
  }

  async #destroy(terminalId: string): Promise<string> {
    const parts = { inbox: this.#inbox, ends: this.#ends, clock: this.clock };
    return (await this.#db.transaction((tx) => destroyWithin(tx, parts, USER_ID, terminalId))).kind;
  }

  async #startSession(hostId: string): Promise<unknown> {
    this.#made += 1;
    const id = toId(5, this.#made);
    this.#sessions.set(hostId, id);
    // Nothing said, or room for one terminal, or for more than the operator allows.
    const memory = [undefined, 1, 9][this.#made % 3];
    const facts =
      memory === undefined
        ? undefined
        : { memory_total_mb: 2_048, memory_available_mb: 1_024, memory_capacity: memory, offers: [] };
    const session = { id, agentVersion: '1', platforms: ['sandbox'], facts };
    return this.#calls.startSession(await this.#findHost(hostId), session);
  }

  async #findHost(id: string): Promise<CallingHost> {
    const [host] = await findHosts(this.#db, [id]);
    if (!host) throw new Error('the host is unknown');
    return { id, name: host.name, regionId: host.region_id, sessionId: host.session_id };
  }

  /** Calls of several hosts that arrive in the same moment share a batch. */
  async #asHosts<Item extends { host: number }, Result>(
    items: readonly Item[],
    { hosts }: Names,
    call: (host: CallingHost, session: string, item: Item) => Promise<Result>,
  ): Promise<(Result | string)[]> {
    const callers = await Promise.all(items.map(({ host }) => this.#findHost(hosts[host] ?? '')));
    return Promise.all(
      items.map((item, index) => {
        const host = callers[index]!;
        return call(host, this.#sessions.get(host.id) ?? '', item).catch((error: Error) => error.message);
      }),
    );
  }

  async #claim({ claims }: Operation & { kind: 'claim' }, names: Names): Promise<unknown> {
    const order = (id: string) => names.tasks.indexOf(id);
    const answers = await this.#asHosts(claims, names, async (host, session, { slots, known }) => {
      const wanted = { slots, waitMs: 0, known: known && toAttempts(known, names) };
      const tasks = await this.#calls.claim(host, session, wanted, noConnection);
      return tasks.map(({ id, ...task }) => ({ ...task, task: order(id) }));
    });
    return answers;
  }

  #heartbeat({ beats }: Operation & { kind: 'heartbeat' }, names: Names): Promise<unknown> {
    return this.#asHosts(beats, names, async (host, session, { held }) => {
      const { revoked, resync } = await this.#calls.heartbeat(host, session, toAttempts(held, names));
      return { revoked: revoked.map((id) => names.tasks.indexOf(id)), resync };
    });
  }

  #report({ reports }: Operation & { kind: 'report' }, names: Names): Promise<unknown> {
    return this.#asHosts(reports, names, async (host, session, { events }) =>
      this.#calls.report(host, session, await Promise.all(events.map((event) => this.#toEvent(event, names)))),
    );
  }

  /** What proves that the task was done, as far as no file belongs to it. */
  async #prove(taskId: string): Promise<Record<string, unknown>> {
    const task = await this.#findTask(taskId);
    const [terminal] = await this.#db.query<{ id: string; login: string; server_name: string }>(
      { name: 'lock_terminals', text: 'select id, login, server_name from terminals where id = any($1::uuid[])' },
      [[task?.terminal_id]],
    );
    if (!task || !terminal) return {};
    return toProof({ type: task.type, payload: { ...BARE, ...task.payload }, terminal });
  }

  async #toEvent(shape: EventShape, { tasks, terminals }: Names): Promise<AgentEvent> {
    const at = this.nowMs;
    if (shape.kind === 'terminal') {
      const { terminal, ...rest } = shape;
      return { ...rest, at, terminal_id: terminals[terminal] ?? toId(9, 9) };
    }
    const { kind, task, fence, code } = shape;
    const event = { kind, at, task_id: tasks[task] ?? '', fence };
    if (kind === 'started' || kind === 'interrupted') return event;
    const data = kind === 'completed' ? await this.#prove(event.task_id) : {};
    const step = { step: 'do', ok: kind === 'completed', code: code as StepCode | null, message: 'm', data };
    return { ...event, steps: [{ ...step, at: new Date(at).toISOString() }] };
  }
}
