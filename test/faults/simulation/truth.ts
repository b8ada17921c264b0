/**
 * What must hold in every state of a simulated world, checked after every step against a record of what really happened:
 * which attempt started where and how it ended, whatever the programs believe.
 */
import {
  interruptibleTypes,
  isFinalTaskStatus,
  isStop,
  LEASE_MS,
  MAX_ATTEMPTS,
  QUEUED_DEADLINE_MS,
  taskCatalogue,
  TaskStatus,
  TaskType,
  toDeadlineMs,
  type AgentEvent,
  type DeliveredTask,
} from '@berth/contract';
import type { AttemptKey } from '@berth/testing/simulation';
import type { Move, TaskRow, Tables } from './store/tables.ts';
import type { VirtualDisk } from './world/virtual-disk.ts';

/** The scheduler looks once per second, at queues only every thirtieth time, and each look may be late. */
const LOOK_MS = 12_000;
const QUEUE_LOOK_MS = 200_000;
/** By how much a queue's hour may seem too short: gaps of up to 5 s cannot be distinguished from a slow tick. */
const SHORT_MS = 60_000;

/** How a simulated terminal's result says which attempt it is of. */
export const toAttemptText = (fence: number): string => `attempt ${fence}`;

const toKey = (taskId: string, fence: number): string => `${taskId} ${fence}`;

/** Since when something lasts, and how much time had been compensated for until then. */
interface Since {
  sinceMs: number;
  compensatedMs: number;
  downMs: number;
}

export class Truth {
  /** The first thing that went wrong; nothing after it counts. */
  violation: string | undefined;
  /** Tasks whose creation was confirmed to a user. */
  readonly accepted = new Set<string>();
  /** How often each move was made, `from>to`. */
  readonly moves = new Map<string, number>();
  readonly starts = new Map<string, VirtualDisk>();
  readonly #tables: Tables;
  readonly #toNow: () => number;
  readonly #toDatabaseNow: () => number;
  readonly #startsOfTask = new Map<string, number>();
  /** How often a task gave way to a stop. */
  readonly #interruptions = new Map<string, number>();
  /** Since when a stop has waited behind an attempt that has to give way, by terminal. */
  readonly #heldUp = new Map<string, Since>();
  readonly #completions = new Set<string>();
  readonly #sentEnds = new WeakMap<VirtualDisk, Map<string, string>>();
  /** Since when each task is in its state. */
  readonly #stays = new Map<string, Since>();
  /** When the attempt of each task was handed out, or its lease was renewed last. */
  readonly #signs = new Map<string, Since>();
  /** Time that counts for no deadline: no server was up, or a clock was set back. */
  compensatedMs = 0;
  /** What of it was time without a server. */
  #downMs = 0;
  #checkedVersion = -1;
  #tasksSeen = 0;

  /** @param toDatabaseNow by a clock that may be set */
  constructor(tables: Tables, toNow: () => number, toDatabaseNow: () => number) {
    this.#tables = tables;
    this.#toNow = toNow;
    this.#toDatabaseNow = toDatabaseNow;
    tables.onMove = (task, moves) => this.#noteMove(task, moves);
  }

  fail(text: string): void {
    this.violation ??= text;
  }

  /** Errors that are logged may be expected ones; these never are. */
  noteLoggedError(error: unknown): void {
    const isDefect = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
    if (isDefect) this.fail(`a defect was logged: ${error.stack}`);
  }

  /** Extends every deadline that is under way, unless the transaction that does so is rolled back. */
  compensate(ms: number): void {
    this.compensatedMs += ms;
    this.#tables.undo?.push(() => (this.compensatedMs -= ms));
  }

  /** No server was up for this long. */
  compensateDowntime(ms: number): void {
    this.compensate(ms);
    this.#downMs += ms;
    this.#tables.undo?.push(() => (this.#downMs -= ms));
  }

  noteStart({ id, fence, type, terminal }: DeliveredTask, disk: VirtualDisk): void {
    if (type !== TaskType.TERMINAL_INSTALL && this.#isBeingInstalled(terminal.id)) {
      this.fail('a task started before the installation of its terminal had ended');
    }
    const key = toKey(id, fence);
    if (this.starts.has(key)) this.fail(`attempt ${fence} of a task started twice`);
    if (this.#sentEnds.get(disk)?.has(key) && !disk.isDamaged)
      this.fail('an attempt starts after its end was reported');
    this.starts.set(key, disk);
    const count = (this.#startsOfTask.get(id) ?? 0) + 1;
    this.#startsOfTask.set(id, count);
    if (count > this.#toMaxAttempts(id)) this.fail(`a task was started ${count} times`);
    if (count > 1 && !taskCatalogue[type].isRepeatable) {
      this.fail('a task that must not be repeated was started twice');
    }
  }

  #isBeingInstalled(terminalId: string): boolean {
    return this.#tables.listOpen(terminalId).some(({ type }) => type === TaskType.TERMINAL_INSTALL);
  }

  /** The host is running the task's attempt. */
  noteSign(taskId: string): void {
    this.#begin(this.#signs, taskId);
  }

  noteCompletion({ id, fence }: DeliveredTask): void {
    this.#completions.add(toKey(id, fence));
  }

  /**
   * One host never reports two different ends of one attempt, unless its disk refused to keep the first, or lost it.
   */
  noteSentEnd(disk: VirtualDisk, { kind, task_id: taskId, fence }: AgentEvent): void {
    const key = toKey(taskId ?? '', fence ?? 0);
    const sent = this.#sentEnds.get(disk) ?? new Map<string, string>();
    this.#sentEnds.set(disk, sent);
    const before = sent.get(key);
    sent.set(key, kind);
    if (before === undefined || before === kind || disk.isDamaged || disk.hasRefused) return;
    this.fail(`an attempt that was reported as ${before} is now reported as ${kind}`);
  }

  /** What was started here and still counts at the server is known after every crash. */
  checkRecovered(hostId: string, disk: VirtualDisk, ledger: { find(id: string): AttemptKey | undefined }): void {
    if (disk.isDamaged) return;
    for (const { task_id: taskId, fence, host_id: leaseHost } of this.#tables.leases.values()) {
      if (leaseHost !== hostId || this.starts.get(toKey(taskId, fence)) !== disk) continue;
      if (ledger.find(taskId)?.fence !== fence) this.fail('the journal forgot an attempt that it had let start');
    }
  }

  /** A host forgets an attempt only when the server knows how it ended, or has given it up. */
  checkForgotten(hostId: string, { taskId, fence }: AttemptKey): void {
    for (const lease of this.#tables.leases.values()) {
      const isIt = lease.task_id === taskId && lease.fence === fence && lease.host_id === hostId;
      if (isIt) this.fail('a host forgot an attempt that the server still waits for');
    }
  }

  #noteMove(task: TaskRow, moves: Move[] | undefined): void {
    if (!moves) return this.fail(`a task moved to ${task.status}, where no move leads`);
    for (const { from, to } of moves) {
      this.#countMove(`${from}>${to}`, 1);
    }
    this.#checkPatience(task, moves.at(-1));
    this.#begin(this.#stays, task.id);
    if (task.status === TaskStatus.DELIVERED) this.noteSign(task.id);
    const from = moves[0]?.from;
    this.#noteInterruption(task, moves.at(-1));
    if (task.attempts > this.#toMaxAttempts(task.id)) this.fail(`a task is at attempt ${task.attempts}`);
    if (task.status === TaskStatus.DELIVERED && !isFirst(task) && this.#findDueStop(task.terminal_id, task.state_since))
      this.fail('a task was handed out before the stop of its terminal');
    const isRequeued = task.status === TaskStatus.QUEUED && from !== TaskStatus.PENDING;
    if (isRequeued && !taskCatalogue[task.type].isRepeatable)
      this.fail('a task that must not be repeated was queued again');
    if (task.actor === 'agent' && isFinalTaskStatus(task.status)) this.#checkResult(task);
  }

  #toMaxAttempts(taskId: string): number {
    return MAX_ATTEMPTS + (this.#interruptions.get(taskId) ?? 0);
  }

  /** Only what gives way to a stop comes back without a pause. */
  #noteInterruption(task: TaskRow, move: Move | undefined): void {
    const { id, actor, available_at: availableAt, state_since: since, terminal_id: terminalId } = task;
    const isBack = move?.to === TaskStatus.QUEUED && move.from !== TaskStatus.PENDING && actor === 'service';
    if (!isBack || availableAt !== since) return;
    if (!this.#findDueStop(terminalId, since)) this.fail('a task was interrupted for no stop');
    const before = this.#interruptions.get(id) ?? 0;
    this.#interruptions.set(id, before + 1);
    this.#tables.undo?.push(() => this.#interruptions.set(id, before));
  }

  /** A stop of the terminal that no host has, and that is due. */
  #findDueStop(terminalId: string, now: number): TaskRow | undefined {
    return this.#tables
      .listOpen(terminalId)
      .find(
        ({ type, payload, status, planned_at: plannedAt }) =>
          isStop(type, payload) &&
          (status === TaskStatus.PENDING || status === TaskStatus.QUEUED) &&
          (plannedAt === null || plannedAt <= now),
      );
  }

  /** A task that waits in a queue gets the whole hour, and no time without a server counts for it. */
  #checkPatience({ id, actor, result, planned_at: plannedAt }: TaskRow, move: Move | undefined): void {
    const stay = this.#stays.get(id);
    const isQueued = move?.from === TaskStatus.QUEUED || result?.runner_result[0]?.step === 'queue';
    const isOverdue = actor === 'service' && isQueued && move?.to === TaskStatus.FAILED;
    if (!stay || !isOverdue) return;
    // Tasks that end behind the head had their hour as well: since they were created, or longer ago than the user's
    // clock shows.
    if (move.from === TaskStatus.PENDING && plannedAt !== null) return;
    const waitedMs = this.#toNow() - stay.sinceMs - (this.#downMs - stay.downMs);
    if (waitedMs < QUEUED_DEADLINE_MS - SHORT_MS) this.fail(`a task waited only ${toSeconds(waitedMs)} in its queue`);
  }

  #countMove(name: string, by: 1 | -1): void {
    this.moves.set(name, (this.moves.get(name) ?? 0) + by);
    if (by === 1) this.#tables.undo?.push(() => this.#countMove(name, -1));
  }

  /** Something begins to last. What is rolled back leaves it as it was. */
  #begin(beginnings: Map<string, Since>, taskId: string): void {
    const before = beginnings.get(taskId);
    this.#tables.undo?.push(() => {
      if (before) beginnings.set(taskId, before);
      else beginnings.delete(taskId);
    });
    beginnings.set(taskId, { sinceMs: this.#toNow(), compensatedMs: this.compensatedMs, downMs: this.#downMs });
  }

  /** How long it lasts, without the time that was compensated for. */
  #toLastedMs({ sinceMs, compensatedMs }: Omit<Since, 'downMs'>): number {
    return this.#toNow() - sinceMs - (this.compensatedMs - compensatedMs);
  }

  #checkResult(task: TaskRow): void {
    const key = toKey(task.id, task.attempts);
    const text = task.result?.runner_result.at(-1)?.message ?? '';
    if (text.startsWith('attempt ') && text !== toAttemptText(task.attempts)) {
      this.fail(`attempt ${task.attempts} of a task got the result of ${text}`);
    }
    if (task.status === TaskStatus.COMPLETED && !this.#completions.has(key)) {
      this.fail('a task is completed whose current attempt never was');
    }
  }

  /** Between two steps: leases and tasks agree, nothing is gone. */
  checkState(): void {
    const { tasks, leases, version, undo } = this.#tables;
    if (undo || version === this.#checkedVersion) return;
    this.#checkedVersion = version;
    if (tasks.size < this.#tasksSeen) this.fail('a task disappeared');
    this.#tasksSeen = tasks.size;
    for (const lease of leases.values()) {
      const task = tasks.get(lease.task_id);
      const isRight = task && task.attempts === lease.fence && task.terminal_id === lease.terminal_id;
      if (!isRight || !isInHand(task)) this.fail('a lease stands for no attempt');
    }
    for (const task of tasks.values()) {
      if (!isInHand(task)) continue;
      if (leases.get(task.terminal_id)?.task_id !== task.id) this.fail('an attempt is under way without the lease');
    }
  }

  /** Nothing that has to give way to a stop goes on. */
  #checkStops(): void {
    for (const terminalId of this.#tables.terminals.keys()) {
      const running = this.#tables.tasks.get(this.#tables.leases.get(terminalId)?.task_id ?? '');
      const isHeldUp =
        running &&
        !isFirst(running) &&
        interruptibleTypes.includes(running.type) &&
        this.#findDueStop(terminalId, this.#toDatabaseNow());
      if (!isHeldUp) this.#heldUp.delete(terminalId);
      else if (!this.#heldUp.has(terminalId)) this.#begin(this.#heldUp, terminalId);
      const since = this.#heldUp.get(terminalId);
      if (since && this.#toLastedMs(since) > LOOK_MS) this.fail('a stop waits behind what has to give way to it');
    }
  }

  /** No state lasts longer than its deadline, no attempt without its host; what was accepted is there. At every tick. */
  checkDeadlines(): void {
    for (const task of this.#tables.tasks.values()) {
      const stay = this.#stays.get(task.id);
      if (!stay || task.status === TaskStatus.PENDING || isFinalTaskStatus(task.status)) continue;
      const lastedMs = this.#toLastedMs(stay);
      if (lastedMs > toBoundMs(task)) this.fail(`a task is in state ${task.status} for ${toSeconds(lastedMs)}`);
      const sign = task.status === TaskStatus.QUEUED ? undefined : this.#signs.get(task.id);
      const silentMs = sign ? this.#toLastedMs(sign) : 0;
      if (silentMs > LEASE_MS + LOOK_MS) this.fail(`an attempt goes on after ${toSeconds(silentMs)} of silence`);
    }
    this.#checkStops();
    for (const id of this.accepted) if (!this.#tables.tasks.has(id)) this.fail('an accepted task disappeared');
  }
}

const isFirst = ({ type, payload }: TaskRow): boolean => isStop(type, payload) || type === TaskType.TERMINAL_INSTALL;

const isInHand = ({ status }: TaskRow): boolean => status === TaskStatus.DELIVERED || status === TaskStatus.RUNNING;

const toSeconds = (ms: number): string => `${Math.round(ms / 1000)} s`;

const toBoundMs = ({ status, type }: TaskRow): number =>
  status === TaskStatus.DELIVERED || status === TaskStatus.RUNNING
    ? toDeadlineMs(status, type) + LOOK_MS
    : QUEUED_DEADLINE_MS + QUEUE_LOOK_MS;
