/**
 * What an agent may call once its host is authenticated, independent of HTTP: the routes translate, a simulation calls
 * it directly.
 *
 * The session is checked when a call arrives, and again by the statements that hand out tasks, because claims wait. Any
 * other call that was in progress when another agent took over may still take effect; that is harmless, because a
 * report must match its lease and its fence.
 */
import {
  toBoundedCharts,
  type AgentEvent,
  type DeliveredTask,
  type EventVerdict,
  type HostFacts,
  type ReportedAccount,
  type ReportedCharts,
  type Sample,
  type SwitchCheck,
  type WantedTerminal,
} from '@berth/contract';
import { FairSemaphore, type Clock, type Logger } from '@berth/kit';
import type { Queryable, Store } from '../../db/database.ts';
import { AppError } from '../../errors.ts';
import { toReportedFacts } from '../../hosts/facts.ts';
import { Heartbeats } from '../../hosts/heartbeats.ts';
import { listWantedTerminals, startSession, type CallingHost } from '../../hosts/queries.ts';
import type { HostNewsKind } from '../../hosts/host-news.ts';
import type { Claim } from '../../hosts/long-polls.ts';
import type { HostWakeups } from '../../hosts/wakeups.ts';
import { SampleTaking } from '../../samples/taking.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { Times } from '../../times.ts';
import type { TaskClaims } from '../../tasks/claims.ts';
import type { TaskEnds } from '../../tasks/ends.ts';
import { takeChecks } from '../../tasks/switch-checks.ts';
import { TaskReports } from '../../tasks/reports.ts';
import { AccountReports, type AccountAnswer } from '../../trading/accounts.ts';
import { noteFailedExperts } from '../../terminals/failed-experts.ts';
import { takeCharts } from '../../terminals/charts.ts';

/**
 * One call of a host at a time, two of all hosts: a call is a megabyte at most, and a host that sends more is told to
 * retry later.
 */
const CHARTS = { places: 2, perOwner: 1, maxWaiting: 2 };

export interface AgentCallParts {
  db: Store;
  vault: Vault;
  wakeups: Pick<HostWakeups, 'wake' | 'listen'>;
  claims: TaskClaims;
  ends: TaskEnds;
  clock: Clock;
  /** Uniform in [0, 1). */
  random?: () => number;
  log: Logger;
  times: Times;
  /** Aborted when the server stops: long polls end. */
  stopping: AbortSignal;
}

/** Registers a listener for the end of the answer; returns a function that removes it. */
type OnEnd = (callback: () => void) => () => void;

/** @throws AppError where another agent has taken over the host */
export const assertSession = (host: CallingHost, sessionId: string): void => {
  if (host.sessionId !== sessionId) throw new AppError('session_superseded');
};

export class AgentCalls {
  readonly #parts: AgentCallParts;
  readonly #sessions: Queryable;
  readonly #heartbeats: Heartbeats;
  readonly #reports: TaskReports;
  readonly #samples: SampleTaking;
  readonly #accounts: AccountReports;
  readonly #repeatable: Queryable;
  readonly #chartSlots = new FairSemaphore(CHARTS);
  /** How to end the claim of a host that waits here. */
  readonly #waiting = new Map<string, () => void>();
  /** Hosts whose claim is ended because there is something to tell them. */
  readonly #news = new Map<string, Set<HostNewsKind>>();

  constructor(parts: AgentCallParts) {
    this.#parts = parts;
    this.#sessions = parts.db.createWritePipeline('durable');
    this.#heartbeats = new Heartbeats(parts.db, parts.times);
    this.#reports = new TaskReports(parts);
    this.#samples = new SampleTaking(parts.db, parts.clock, parts.times);
    this.#accounts = new AccountReports(parts);
    // What a database crash loses here is reported again by the host.
    this.#repeatable = parts.db.createWritePipeline('asyncCommit');
  }

  /**
   * Makes this the host's current session. Designed for thousands of agents that reconnect at once: two statements,
   * neither of which waits for a connection of its own; terminals that wait for a host are placed by the scheduler's
   * next tick.
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

  /** Ends the claim of the host, if it waits here, to tell it this. */
  noteNews(hostId: string, kind: HostNewsKind): void {
    const end = this.#waiting.get(hostId);
    if (!end) return;
    this.#news.set(hostId, (this.#news.get(hostId) ?? new Set()).add(kind));
    end();
  }

  /** What a claim of the host that is answered now has to tell. */
  takeNews(hostId: string): ReadonlySet<HostNewsKind> {
    const news = this.#news.get(hostId);
    this.#news.delete(hostId);
    return news ?? new Set();
  }

  async heartbeat(
    host: CallingHost,
    sessionId: string,
    attempts: { task_id: string; fence: number }[],
    { facts, removed }: { facts?: HostFacts | undefined; removed?: string[] | undefined } = {},
  ): Promise<{ revoked: string[]; resync: boolean; risk_version?: number; left?: string[] }> {
    assertSession(host, sessionId);
    return this.#heartbeats.add({ hostId: host.id, attempts, facts, removed });
  }

  /** @returns how many of them were kept */
  async takeSamples(host: CallingHost, sessionId: string, samples: Sample[]): Promise<number> {
    assertSession(host, sessionId);
    return this.#samples.add({ hostId: host.id, samples });
  }

  /** @returns what was not taken, and how far the deals go that the server has */
  async takeAccounts(host: CallingHost, sessionId: string, reported: ReportedAccount[]): Promise<AccountAnswer> {
    assertSession(host, sessionId);
    return this.#accounts.take(host.id, reported);
  }

  /** @returns the terminals that the host should report again a little later */
  async takeCharts(host: CallingHost, sessionId: string, reported: ReportedCharts[]): Promise<string[]> {
    assertSession(host, sessionId);
    return this.#chartSlots.run(host.id, async () => {
      const early = await takeCharts(this.#repeatable, host.id, reported, this.#parts.times);
      const taken = reported.filter(({ terminal_id: id }) => !early.includes(id.toLowerCase()));
      const bounded = taken.map((one) => ({ ...one, charts: toBoundedCharts(one.charts).charts }));
      await noteFailedExperts(this.#parts.db, host.id, bounded);
      return early;
    });
  }

  /** @returns how many were taken */
  async takeChecks(host: CallingHost, sessionId: string, checks: SwitchCheck[]): Promise<number> {
    assertSession(host, sessionId);
    return takeChecks(this.#repeatable, host.id, checks);
  }

  async report(host: CallingHost, sessionId: string, events: AgentEvent[]): Promise<EventVerdict[]> {
    assertSession(host, sessionId);
    return this.#reports.add({ hostId: host.id, events });
  }

  /**
   * Claims until there is work, `waitMs` have passed, the caller hangs up, the server stops, or the same host claims
   * again: then nobody reads this answer any more, although its connection may look open, and a delivery would be lost.
   */
  async claim(
    host: CallingHost,
    sessionId: string,
    { waitMs, ...wanted }: Pick<Claim, 'slots' | 'known'> & { waitMs: number },
    onEnd: OnEnd,
  ): Promise<DeliveredTask[]> {
    assertSession(host, sessionId);
    const { wakeups, claims, stopping, clock } = this.#parts;
    const claim = { hostId: host.id, sessionId, ...wanted };
    const poll = wakeups.listen(claim);
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
      // An agent that hung up gets nothing: a delivery that is not read would have to wait for its deadline.
      let found = isGone ? [] : await claims.claim(claim);
      while (found.length === 0 && restMs > 0 && !isGone && !stopping.aborted) {
        const since = clock.now();
        const result = await poll.next(restMs);
        // Work without a wake-up is found by the agent's next claim, which follows immediately: another look would
        // repeat it.
        if (result === undefined) return [];
        if (result !== 'hint') found = result;
        else if (!isGone) found = await claims.claim(claim);
        // If the clock is set in between, the wait gets shorter, or at most doubles; it never takes hours.
        restMs -= Math.min(restMs, Math.max(0, clock.now() - since));
      }
      if (isGone && found.length > 0) {
        // Nobody reads it: a newer claim of the host, which waits here or elsewhere, has to look for it.
        poll.stop();
        wakeups.wake([host.id]);
      }
      return found;
    } finally {
      // A sent answer ends too: it must not be taken for a caller who hung up.
      forgetEnd();
      if (this.#waiting.get(host.id) === end) this.#waiting.delete(host.id);
      poll.stop();
    }
  }
}
