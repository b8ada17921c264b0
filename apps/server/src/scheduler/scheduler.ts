/**
 * What must happen without a request: due tasks are queued, silent hosts declared lost, lost attempts retried or given
 * up, waiting terminals placed. Every server runs this loop; a lock lets one of them do each tick. A tick is a net, not the
 * way of a task: claims and reports move tasks at once.
 */
import {
  QUEUED_DEADLINE_MS,
  ResultStatus,
  TaskStatus,
  TaskType,
  toServiceResult,
  type AttemptEnd,
} from '@berth/contract';
import type { Clock, Logger } from '@berth/kit';
import { listOperators } from '../accounts/users.ts';
import type { ServerConfig } from '../config.ts';
import type { Queryable, Store, Transaction } from '../db/database.ts';
import { recordEvents, recordSkippedChanges } from '../events/record.ts';
import type { HostWakeups } from '../hosts/wakeups.ts';
import { assignWaitingTerminals, changeOpenRegions, failLongWaiting } from '../deployment/waiting.ts';
import type { Vault } from '../secrets/vault.ts';
import { applyEffects, hasEffect } from '../tasks/effects.ts';
import type { TaskEnds } from '../tasks/ends.ts';
import { failOverdueStatement } from '../tasks/transitions.ts';
import { lockTasks, applyTransitions, toEnd, type TaskTransition } from '../tasks/outcomes.ts';
import { makeWayForStops } from '../tasks/stops.ts';
import { giveUpInstallations } from '../tasks/uninstalled.ts';
import { noteTransitions, TerminalChanges } from '../terminals/changes.ts';
import { followClock, listExpiredLeases, markLostHosts, noteTick } from './downtime.ts';
import type { SchedulerPulse } from './pulse.ts';
import * as queries from './queries.ts';

/** The slow part of a tick is done every so many ticks. */
const SLOW_EVERY = 30;
const MAX_EXPIRED_PER_TICK = 500;
const MAX_ASSIGNED_PER_TICK = 100;
const MAX_GIVEN_UP_PER_TICK = 500;
const MAX_OVERDUE_PER_TICK = 2_000;
const MAX_RELEASED_PER_TICK = 500;

export interface SchedulerParts {
  db: Store;
  vault: Vault;
  wakeups: Pick<HostWakeups, 'wake'>;
  ends: TaskEnds;
  clock: Clock;
  pulse: SchedulerPulse;
  config: Pick<ServerConfig, 'placementWaitHours' | 'times'>;
  /** Uniform in [0, 1): the jitter of back-offs. */
  random?: () => number;
  /** A clock that nobody sets. */
  elapsedMs?: () => number;
  log: Logger;
}

export class Scheduler {
  readonly #parts: SchedulerParts;
  #ticks = 0;
  /** Overdue tasks are failed in batches: more of them in the next tick. */
  #hasMoreOverdue = false;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
  }

  /** One tick, if it is this server's turn. */
  async tick(): Promise<void> {
    const { db, wakeups, config, elapsedMs = () => performance.now() } = this.#parts;
    const number = this.#ticks;
    this.#ticks += 1;
    const begunAtMs = elapsedMs();
    const turn = await db.transaction((tx) => this.#begin(tx));
    if (!turn) return;
    const due = await db.transaction(async (tx) => {
      // Where the clock was set since then, what looks overdue is not: the next tick notes the downtime, and compensates for
      // it.
      if ((await this.#takeTurn(tx, elapsedMs() - begunAtMs))?.is_in_time !== true) return undefined;
      if (turn.isSetBack) await followClock(tx, config.times);
      await this.#loseSilentHosts(tx);
      await this.#endLostAttempts(tx);
      const assigned = await assignWaitingTerminals(tx, MAX_ASSIGNED_PER_TICK);
      await changeOpenRegions(tx, MAX_ASSIGNED_PER_TICK);
      if (number % SLOW_EVERY === 0) await this.#failLongWaiting(tx);
      if (number % SLOW_EVERY === 0 || this.#hasMoreOverdue) await this.#failOverdue(tx);
      const stopping = await makeWayForStops(tx, this.#parts, null);
      const promoted = await queries.promoteTasks(tx);
      // Last: until the transaction ends, nobody's log is read beyond what it wrote.
      await recordSkippedChanges(tx, MAX_RELEASED_PER_TICK);
      return [...assigned, ...stopping, ...promoted];
    });
    if (!due) return;
    wakeups.wake(due);
    await db.transaction((tx) => queries.completeTick(tx, elapsedMs() - begunAtMs));
  }

  /** @returns undefined when another server does the tick */
  async #takeTurn(tx: Queryable, elapsedMs: number): Promise<queries.Turn | undefined> {
    const turn = await queries.takeTurn(tx, elapsedMs, this.#parts.config.times);
    if (turn) this.#parts.pulse.observe(turn.completed_at);
    return turn?.is_ours === true ? turn : undefined;
  }

  async #begin(tx: Queryable): Promise<{ isSetBack: boolean } | undefined> {
    return (await this.#takeTurn(tx, 0)) ? { isSetBack: await noteTick(tx, this.#parts.config.times) } : undefined;
  }

  async #loseSilentHosts(tx: Transaction): Promise<void> {
    const lost = await markLostHosts(tx, this.#parts.config.times);
    if (lost.length === 0) return;
    this.#parts.log.warn({ hosts: lost }, 'hosts were declared lost');
    const names = new Map(lost.map(({ id, name }) => [id, name]));
    const affected = await queries.markUnreachableTerminals(tx, [...names.keys()]);
    const operators = await listOperators(tx);
    const events = [...names].flatMap(([id, name]) => {
      const owners = affected.flatMap(({ user_id, host_id }) => (host_id === id ? [user_id] : []));
      const data = { host_id: id, name };
      return [...new Set([...owners, ...operators])].map(
        (userId) => ({ type: 'host.lost', userId, terminalId: null, data }) as const,
      );
    });
    await recordEvents(tx, events);
    await noteTransitions(tx, affected);
  }

  async #endLostAttempts(tx: Transaction): Promise<void> {
    const expired = await listExpiredLeases(tx, MAX_EXPIRED_PER_TICK, this.#parts.config.times);
    if (expired.length === 0) return;
    const { clock, ends, vault, random = Math.random } = this.#parts;
    const now = new Date(clock.now());
    const tasks = await lockTasks(
      tx,
      expired.map((lease) => lease.task_id),
    );
    const transitions = expired.flatMap(({ task_id: id, is_lease_lost: isLeaseLost }): TaskTransition[] => {
      const task = tasks.get(id);
      if (!task || (task.status !== TaskStatus.DELIVERED && task.status !== TaskStatus.RUNNING)) return [];
      // A delivery that never started is lost like one whose host fell silent: it may be repeated.
      const isLost = isLeaseLost || task.status === TaskStatus.DELIVERED;
      const end: AttemptEnd = isLost ? { kind: 'lease_lost' } : { kind: 'timed_out', steps: [] };
      return [toEnd(task, end, now, random(), 'service')];
    });
    const affected = transitions.filter(({ task }) => hasEffect(task.type)).map(({ task }) => task.terminal_id);
    const terminals = await TerminalChanges.lock(tx, affected);
    await applyTransitions(tx, transitions, ends);
    await applyEffects({ tx, vault, ends, terminals, now }, transitions, new Map());
    await terminals.write();
  }

  async #failLongWaiting(tx: Transaction): Promise<void> {
    const { clock, config, ends } = this.#parts;
    const now = new Date(clock.now());
    await failLongWaiting({ tx, ends, now }, config.placementWaitHours, MAX_GIVEN_UP_PER_TICK);
  }

  async #failOverdue(tx: Transaction): Promise<void> {
    const { clock, ends } = this.#parts;
    const now = new Date(clock.now());
    const text = 'No host took the task within an hour. Check the host, then create the task again.';
    const result = toServiceResult(ResultStatus.TIMED_OUT, 'queue', 'E_HOST_LOST', text, now);
    const values = [JSON.stringify(result), QUEUED_DEADLINE_MS, MAX_OVERDUE_PER_TICK];
    const overdue = await ends.end(tx, failOverdueStatement, values, { isQuiet: false });
    this.#hasMoreOverdue = overdue.length === MAX_OVERDUE_PER_TICK;
    if (overdue.length === 0) return;
    const installs = overdue.filter(({ type }) => type === TaskType.TERMINAL_INSTALL);
    const terminals = await TerminalChanges.lock(
      tx,
      installs.map((task) => task.terminal_id),
    );
    const uninstalled = installs.map((task) => ({ id: task.terminal_id, reason: text }));
    await giveUpInstallations({ tx, ends, terminals, now }, uninstalled);
    await terminals.write();
  }
}
