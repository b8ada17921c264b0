/**
 * What an agent may ask once its host is known, apart from HTTP: the routes translate, a simulation calls it directly.
 *
 * The session is looked at when a call arrives, and again by the statements that hand out tasks, because claims wait. Any
 * other call that was under way when another agent took over may still have its effect; that is harmless, because a report
 * is held to its lease and its fence.
 */
import type {
  AgentEvent,
  DeliveredTask,
  EventVerdict,
  HostFacts,
  Sample,
  ReportedCharts,
  WantedTerminal,
} from '@berth/contract';
import { FairSemaphore, type Clock, type Logger } from '@berth/kit';
import type { Queryable, Store } from '../../db/database.ts';
import { AppError } from '../../errors.ts';
import { toReportedFacts } from '../../hosts/facts.ts';
import { Heartbeats } from '../../hosts/heartbeats.ts';
import { listWantedTerminals, startSession, type CallingHost } from '../../hosts/queries.ts';
import type { HostWakeups } from '../../hosts/wakeups.ts';
import { SampleTaking } from '../../samples/taking.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { Times } from '../../times.ts';
import { TaskClaims, type Claim } from '../../tasks/claims.ts';
import type { TaskEnds } from '../../tasks/ends.ts';
import { LostDeliveries, type RepeatedClaim } from '../../tasks/lost-deliveries.ts';
import { TaskReports } from '../../tasks/reports.ts';
import { takeCharts } from '../../terminals/charts.ts';

/** One call of a host at a time, two of all hosts: a call is a megabyte at the most, and a host that sends more is put off. */
const CHARTS = { places: 2, perOwner: 1, maxWaiting: 2 };

export interface AgentCallParts {
  db: Store;
  vault: Vault;
  wakeups: Pick<HostWakeups, 'wake' | 'listen'>;
  ends: TaskEnds;
  clock: Clock;
  /** Uniform in [0, 1). */
  random?: () => number;
  log: Logger;
  times: Times;
  /** Aborted when the server stops: long polls end. */
  stopping: AbortSignal;
}

/** Listens for the end of the answer; returns what stops listening. */
type OnEnd = (callback: () => void) => () => void;

const assertSession = (host: CallingHost, sessionId: string): void => {
  if (host.sessionId !== sessionId) throw new AppError('session_superseded');
};

export class AgentCalls {
  readonly #parts: AgentCallParts;
  readonly #sessions: Queryable;
  readonly #heartbeats: Heartbeats;
  readonly #claims: TaskClaims;
  readonly #lostDeliveries: LostDeliveries;
  readonly #reports: TaskReports;
  readonly #samples: SampleTaking;
  readonly #charts: Queryable;
  readonly #chartSlots = new FairSemaphore(CHARTS);
  /** How to end the claim that waits here for a host. */
  readonly #waiting = new Map<string, () => void>();

  constructor(parts: AgentCallParts) {
    this.#parts = parts;
    this.#sessions = parts.db.createLane('durable');
    this.#heartbeats = new Heartbeats(parts.db, parts.times);
    this.#claims = new TaskClaims(parts.db, parts);
    this.#lostDeliveries = new LostDeliveries(parts.db, parts);
    this.#reports = new TaskReports(parts);
    this.#samples = new SampleTaking(parts.db, parts.clock, parts.times);
    // What a crash of the database undoes here, the host tells again.
    this.#charts = parts.db.createLane('asyncCommit');
  }

  /**
   * Hands the host to this session. Made for thousands that come back at once: two statements, neither of which waits for
   * a connection of its own, and terminals that wait for a host are placed by the scheduler's next tick.
   * @returns what the host must keep, as of after the takeover
   */
  async startSession(
    host: CallingHost,
    { facts, ...session }: { id: string; agentVersion: string; platforms: string[]; facts?: HostFacts | undefined },
  ): Promise<WantedTerminal[]> {
    const isStarted = await startSession(this.#sessions, host.id, { ...session, facts: toReportedFacts(facts) });
    if (!isStarted) throw new AppError('unauthenticated');
    return listWantedTerminals(this.#parts.db, host.id);
  }

  async heartbeat(
    host: CallingHost,
    sessionId: string,
    attempts: { task_id: string; fence: number }[],
    facts?: HostFacts,
  ): Promise<{ revoked: string[]; resync: boolean }> {
    assertSession(host, sessionId);
    return this.#heartbeats.add({ hostId: host.id, attempts, facts });
  }

  /** @returns how many of them were kept */
  async takeSamples(host: CallingHost, sessionId: string, samples: Sample[]): Promise<number> {
    assertSession(host, sessionId);
    return this.#samples.add({ hostId: host.id, samples });
  }

  /** @returns the terminals of which the host may tell again a little later */
  async takeCharts(host: CallingHost, sessionId: string, reported: ReportedCharts[]): Promise<string[]> {
    assertSession(host, sessionId);
    return this.#chartSlots.run(host.id, () => takeCharts(this.#charts, host.id, reported, this.#parts.times));
  }

  async report(host: CallingHost, sessionId: string, events: AgentEvent[]): Promise<EventVerdict[]> {
    assertSession(host, sessionId);
    return this.#reports.add({ hostId: host.id, events });
  }

  /**
   * Claims until there is something, `waitMs` are over, the caller hangs up, or the server stops; or until the same host
   * claims again: then this answer is not read any more, although its connection may look open, and a delivery would be
   * lost.
   * @param wanted.known what the agent has in hand, if the answer to an earlier claim of its may have been lost
   */
  async claim(
    host: CallingHost,
    sessionId: string,
    { slots, waitMs, known }: { slots: number; waitMs: number; known?: RepeatedClaim['known'] | undefined },
    onEnd: OnEnd,
  ): Promise<DeliveredTask[]> {
    assertSession(host, sessionId);
    const { wakeups, stopping, clock } = this.#parts;
    const poll = wakeups.listen({ hostId: host.id, sessionId, slots });
    let isGone = false;
    const end = () => {
      isGone = true;
      poll.wake();
    };
    const forgetEnd = onEnd(end);
    if (!isGone) {
      this.#waiting.get(host.id)?.();
      this.#waiting.set(host.id, end);
    }
    let restMs = waitMs;
    try {
      for (;;) {
        // An agent that hung up gets nothing: a delivery that is not read would have to wait for its deadline.
        const tasks = isGone ? [] : await this.#look({ hostId: host.id, sessionId, slots }, known);
        if (tasks.length > 0 || restMs <= 0 || isGone || stopping.aborted) return tasks;
        const since = clock.now();
        const result = await poll.next(restMs);
        // What came without a hint is found by the agent's next claim, at once: it would look a second time for the same.
        if (!result) return [];
        if (result.length > 0) return this.#handOn(host.id, result, isGone);
        // A clock that is set meanwhile makes the wait shorter, or as long once more, never hours long.
        restMs -= Math.min(restMs, Math.max(0, clock.now() - since));
      }
    } finally {
      // An answer that was given ends too: it must not pass for a caller who hung up.
      forgetEnd();
      if (this.#waiting.get(host.id) === end) this.#waiting.delete(host.id);
      poll.stop();
    }
  }

  /** Tasks that were handed over to a claim whose caller is gone are lost deliveries: a newer claim that waits looks for them. */
  #handOn(hostId: string, tasks: DeliveredTask[], isGone: boolean): DeliveredTask[] {
    if (isGone) this.#parts.wakeups.wake([hostId]);
    return tasks;
  }

  /** What was lost comes first, and alone: its attempts must not meet newer ones of the same tasks in one answer. */
  async #look(claim: Claim, known: RepeatedClaim['known'] | undefined): Promise<DeliveredTask[]> {
    const lost = known ? await this.#lostDeliveries.find({ ...claim, known }) : [];
    return lost.length > 0 ? lost : this.#claims.claim(claim);
  }
}
