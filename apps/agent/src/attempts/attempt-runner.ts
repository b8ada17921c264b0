/**
 * Takes attempts from the claim to the outbox. Invariants, in the order in which they protect a task:
 * - an attempt starts only after its acceptance is on disk, and at most once: a delivery that the ledger knows is
 *   ignored;
 * - its end is on disk before it is reported; it stays listed (and in the heartbeat) until the report is acknowledged;
 * - only the newest fence of a task runs, and only the newest delivery of a terminal: the server has one lease per
 *   terminal, so whatever it delivers, nothing else of that terminal is valid. That is how a stop interrupts.
 */
import type { DeliveredTask } from '@berth/contract/agent';
import { interruptibleTypes } from '@berth/contract/values';
import { type Logger, type Timing, Wakeup } from '@berth/kit';
import type { AttemptOutcome, TerminalDriver, TaskAccount } from '../platforms/driver.ts';
import type { ReportOutbox } from '../server/report-outbox.ts';
import type { TerminalKeeper } from '../terminals/terminal-keeper.ts';
import type { AttemptKey, ServerCalls } from '../server/server-calls.ts';
import type { AttemptJournal } from './attempt-journal.ts';
import type { Attempt, RecordedEnd } from './attempt-ledger.ts';
import { withRetry } from './with-retry.ts';
import {
  toRecordedEnd,
  toEndEvent,
  toStartedEvent,
  type AbortCause,
  type AttemptSecrets,
  type OutcomeSeal,
} from './attempt-end.ts';

/** How soon a driver must return after an abort; later, the attempt is reported without it. Below the server's grace (15 s). */
const ABORT_GRACE_MS = 3_000;

export interface AttemptRunnerOptions {
  journal: AttemptJournal;
  keeper: TerminalKeeper;
  outbox: ReportOutbox;
  seal: OutcomeSeal;
  server: Pick<ServerCalls, 'openFiles'>;
  /** The account of a terminal, for what its tasks do with it. */
  openAccount?: (terminalId: string) => TaskAccount;
  /** Attempts that may run at once. */
  slots: number;
  timing: Timing;
  log: Logger;
  /** Called when an attempt was carried out, after its end is in the outbox. */
  onCarriedOut: (task: DeliveredTask, end: RecordedEnd) => void;
}

/** The number of tasks whose last accepted attempt is remembered: more than are ever handed out within a lease. */
const MAX_ACCEPTED = 10_000;

/** An attempt whose end is not yet in the outbox. */
interface Running {
  task: DeliveredTask;
  abort: AbortController;
  cause?: AbortCause;
  isStarted: boolean;
  isEnded: boolean;
  log: Logger;
  /** Settles when the end is in the outbox, or dropped. */
  done: Promise<void>;
  settle: () => void;
}

const toKey = ({ taskId, fence }: AttemptKey): string => `${taskId} ${fence}`;

export class AttemptRunner {
  /** Wakes the claim loop when a slot becomes free. */
  readonly slotFreed = new Wakeup();
  readonly #options: AttemptRunnerOptions;
  readonly #running = new Map<string, Running>();
  /**
   * By task: the fence that was accepted last, oldest first. The ledger forgets an attempt when the server knows its
   * end; a standby that takes over may have lost that end, and would hand the attempt out again.
   */
  readonly #accepted = new Map<string, number>();

  constructor(options: AttemptRunnerOptions) {
    this.#options = options;
  }

  get freeSlots(): number {
    return this.#options.slots - this.#running.size;
  }

  /** Attempts whose leases the heartbeat must renew. */
  listInHand(): AttemptKey[] {
    return this.#options.journal.ledger.list();
  }

  /**
   * Writes delivered attempts to the journal, then queues them on their terminals. Rejects when the disk refuses.
   * @returns those that had been accepted before, and are not carried out again
   */
  async accept(delivered: DeliveredTask[]): Promise<AttemptKey[]> {
    const { journal, log } = this.#options;
    const toKnownFence = (id: string) => Math.max(journal.ledger.find(id)?.fence ?? 0, this.#accepted.get(id) ?? 0);
    const isNew = ({ id, fence }: DeliveredTask): boolean => toKnownFence(id) < fence;
    const news = delivered.filter(isNew);
    const others = delivered.filter((task) => !isNew(task));
    if (others.length > 0) log.warn({ count: others.length }, 'tasks were delivered again');
    this.revoke(news.flatMap(({ id }) => journal.ledger.find(id) ?? []));
    const entries = news.map(({ id, fence, type, terminal }) => ({ taskId: id, fence, type, terminalId: terminal.id }));
    await journal.append(entries.map((entry) => ({ kind: 'accepted', ...entry })));
    for (const task of news) {
      this.#revokeOthers(task);
      this.#remember(task);
      this.#enqueue(task);
    }
    return others.map(({ id, fence }) => ({ taskId: id, fence }));
  }

  /** An attempt that has ended only waits for its report to be acknowledged. */
  #revokeOthers({ terminal }: DeliveredTask): void {
    const others = [...this.#running.values()].filter(
      (running) => running.task.terminal.id === terminal.id && !running.isEnded,
    );
    this.revoke(others.map(({ task }) => ({ taskId: task.id, fence: task.fence })));
  }

  /**
   * Ends what runs on a terminal and may be repeated: the server queues it again once its lease has run out. For what
   * this host does to the terminal by itself.
   */
  interrupt(terminalId: string): void {
    const keys = [...this.#running.values()]
      .filter(({ task, isEnded }) => task.terminal.id === terminalId && !isEnded)
      .filter(({ task }) => interruptibleTypes.includes(task.type))
      .map(({ task }) => ({ taskId: task.id, fence: task.fence }));
    this.revoke(keys);
  }

  #remember({ id, fence }: DeliveredTask): void {
    this.#accepted.delete(id);
    this.#accepted.set(id, fence);
    const [oldest] = this.#accepted.keys();
    if (oldest !== undefined && this.#accepted.size > MAX_ACCEPTED) this.#accepted.delete(oldest);
  }

  /** Drops attempts that are no longer valid, unless a newer one of the same task has arrived since. */
  revoke(keys: AttemptKey[]): void {
    for (const { taskId, fence } of keys) {
      const attempt = this.#options.journal.ledger.find(taskId);
      if (attempt?.fence !== fence) continue;
      // A report and a heartbeat may cross: then the "revoked" attempt is only one whose end the server already has.
      this.#options.log[attempt.end ? 'debug' : 'warn']({ task_id: taskId, fence }, 'the attempt was revoked');
      this.#abort({ taskId, fence }, 'revoked');
      this.acknowledge({ taskId, fence });
      this.#options.outbox.drop(taskId, fence);
    }
  }

  /** Forgets an attempt: the server knows its end, or wants none. */
  acknowledge({ taskId, fence }: AttemptKey): void {
    this.#options.journal.note({ kind: 'acknowledged', taskId, fence });
  }

  /** Ends all attempts: those not started are handed back, running ones have `graceMs` to end by themselves. */
  async drain(graceMs: number): Promise<void> {
    const { timing } = this.#options;
    for (const running of this.#running.values()) if (!running.isStarted) this.#abortRunning(running, 'stopping');
    const timer = new AbortController();
    await Promise.race([this.#allDone(), timing.sleep(graceMs, timer.signal)]);
    timer.abort();
    for (const running of this.#running.values()) this.#abortRunning(running, 'stopping');
    await this.#allDone();
  }

  async #allDone(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  #abort(key: AttemptKey, cause: AbortCause): void {
    const running = this.#running.get(toKey(key));
    if (running) this.#abortRunning(running, cause);
  }

  #abortRunning(running: Running, cause: AbortCause): void {
    if (running.cause) return;
    running.cause = cause;
    running.abort.abort(new Error(cause));
    // A queued attempt ends at once; when its turn comes, it has already ended.
    if (!running.isStarted) void this.#finish(running, undefined);
  }

  /** The slot is held until the end is in the outbox; the terminal's queue, until the driver has returned. */
  #enqueue(task: DeliveredTask): void {
    const key = toKey({ taskId: task.id, fence: task.fence });
    const log = this.#options.log.child({ task_id: task.id, fence: task.fence, terminal_id: task.terminal.id });
    let settle: () => void = () => undefined;
    const done = new Promise<void>((resolve) => (settle = resolve));
    const running: Running = {
      task,
      abort: new AbortController(),
      isStarted: false,
      isEnded: false,
      log,
      done,
      settle: () => {
        this.#running.delete(key);
        this.slotFreed.wake();
        settle();
      },
    };
    this.#running.set(key, running);
    const inLine = this.#options.keeper.run(task.terminal, (driver) => this.#carryOut(running, driver));
    inLine.catch((error: unknown) => {
      log.error({ err: error }, 'the attempt failed with a defect');
      return this.#finish(running, undefined);
    });
  }

  async #carryOut(running: Running, driver: TerminalDriver): Promise<void> {
    const { task, abort, log } = running;
    const { journal, outbox, timing, server, openAccount } = this.#options;
    const attempt = journal.ledger.find(task.id);
    if (running.isEnded) return;
    // It has become another attempt: nothing is to be said of this one.
    if (attempt?.fence !== task.fence) return running.settle();
    running.isStarted = true;
    journal.note({ kind: 'started', taskId: task.id, fence: task.fence });
    outbox.push(toStartedEvent(attempt, timing.clock.now()));
    const files = withRetry(server.openFiles(task, abort.signal), { signal: abort.signal, timing, log }, () =>
      this.revoke([attempt]),
    );
    const account = openAccount?.(task.terminal.id);
    const carrying = driver.carryOut({ task, files, account, signal: abort.signal, log }).catch((error: unknown) => {
      log.error({ err: error }, 'the driver failed with a defect');
      return undefined;
    });
    await this.#finish(running, await this.#withDeadline(running, carrying));
    await carrying;
  }

  /**
   * @returns the outcome; undefined when the driver does not return one soon after the abort, whether by deadline or on
   *   request
   */
  async #withDeadline(
    running: Running,
    carrying: Promise<AttemptOutcome | undefined>,
  ): Promise<AttemptOutcome | undefined> {
    const { timing } = this.#options;
    const timers = new AbortController();
    void timing.sleep(running.task.running_deadline_ms, timers.signal).then(() => {
      if (!timers.signal.aborted) this.#abortRunning(running, 'deadline');
    });
    const aborted = new Promise<void>((resolve) => running.abort.signal.addEventListener('abort', () => resolve()));
    const tooLate = aborted.then(() => timing.sleep(ABORT_GRACE_MS, timers.signal)).then(() => undefined);
    return Promise.race([carrying, tooLate]).finally(() => timers.abort());
  }

  async #finish(running: Running, outcome: AttemptOutcome | undefined): Promise<void> {
    if (running.isEnded) return;
    running.isEnded = true;
    const { task, log } = running;
    const { journal, timing } = this.#options;
    const attempt = journal.ledger.find(task.id);
    const end = toRecordedEnd(outcome, running.cause, timing.clock.now());
    if (end && attempt?.fence === task.fence) {
      await this.end(attempt, end, end.kind === 'interrupted' ? undefined : outcome?.secrets);
      const code = end.kind === 'interrupted' ? null : (end.steps.at(-1)?.code ?? null);
      log.info({ type: task.type, end: end.kind, code }, 'attempt ended');
      this.#options.onCarriedOut(task, end);
    }
    running.settle();
  }

  /** Writes an attempt's end to the journal and then to the outbox. */
  async end(attempt: Attempt, end: RecordedEnd, secrets?: AttemptSecrets): Promise<void> {
    const { journal, seal, log } = this.#options;
    const { taskId, fence } = attempt;
    const recorded = secrets ? { ...end, sealed: seal.seal(attempt, secrets) } : end;
    try {
      await journal.append([{ kind: 'finished', taskId, fence, end: recorded }]);
    } catch (error) {
      // The report does not wait for the disk: if the agent dies before it is acknowledged, the attempt counts as
      // interrupted.
      log.error({ err: error, task_id: taskId }, 'the journal refused the end of an attempt');
      journal.note({ kind: 'finished', taskId, fence, end: recorded });
    }
    this.report(attempt, end, secrets);
  }

  /** Puts an end from the journal into the outbox, unless the attempt was revoked in the meantime. */
  report(attempt: Attempt, end: RecordedEnd, secrets?: AttemptSecrets): void {
    const { journal, outbox } = this.#options;
    if (journal.ledger.find(attempt.taskId)?.fence !== attempt.fence) return;
    outbox.push(toEndEvent(attempt, end, secrets));
  }
}
