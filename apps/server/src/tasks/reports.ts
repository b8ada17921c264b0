/**
 * Agents' reports: applies the events of any number of hosts to their tasks and terminals in memory, then writes them.
 */
import {
  findFitting,
  HostPath,
  isCurrentFence,
  isFinalTaskStatus,
  TaskStatus,
  toPlainSentence,
  type AgentEvent,
  type EventVerdict,
} from '@berth/contract';
import { Batcher, type Clock, type Logger } from '@berth/kit';
import { isRefused, type Store } from '../db/database.ts';
import { listReportedFiles } from '../files/queries.ts';
import type { HostWakeups } from '../hosts/wakeups.ts';
import type { Vault } from '../secrets/vault.ts';
import { TerminalChanges } from '../terminals/changes.ts';
import type { TaskEnds } from './ends.ts';
import { leaveHosts } from '../terminals/moves.ts';
import { applyEffects, hasEffect, learnTrading, listProofs } from './effects.ts';
import { lockTasks, applyTransitions, toEnd, toStart, type LockedTask, type TaskTransition } from './outcomes.ts';
import { listFileIds, toReportedEnd, type KnownOfReports, type ReportedFiles } from './reported-steps.ts';

const MAX_REPORTS_PER_BATCH = 64;

interface Report {
  hostId: string;
  events: AgentEvent[];
}

const MAX_REASON = 500;

/** Judges one event of a task by what is known of the task. Pure. */
const judge = (
  task: LockedTask | undefined,
  earlier: TaskTransition | undefined,
  hostId: string,
  event: AgentEvent,
  { random, ...known }: KnownOfReports & { random: () => number },
): { verdict: EventVerdict; transition?: TaskTransition } => {
  if (!task || task.host_id !== hostId) return { verdict: 'stale' };
  const status = earlier?.to ?? task.status;
  const fence = event.fence ?? 0;
  if (isFinalTaskStatus(status)) return { verdict: task.attempts === fence ? 'duplicate' : 'stale' };
  if (!isCurrentFence({ status, attempts: task.attempts }, fence)) return { verdict: 'stale' };
  if (event.kind === 'started') {
    return status === TaskStatus.RUNNING
      ? { verdict: 'duplicate' }
      : { verdict: 'accepted', transition: toStart(task) };
  }
  return {
    verdict: 'accepted',
    transition: toEnd(task, toReportedEnd(task, event, known), known.now, random(), 'agent'),
  };
};

export interface TaskReportParts {
  db: Store;
  vault: Vault;
  wakeups: Pick<HostWakeups, 'wake'>;
  ends: TaskEnds;
  clock: Clock;
  /** Uniform in [0, 1): the jitter of back-offs. */
  random?: () => number;
  log: Logger;
}

/** Accepts reports; those that arrive together share a transaction. */
export class TaskReports {
  readonly #parts: TaskReportParts;
  readonly #batcher: Batcher<Report, EventVerdict[]>;

  constructor(parts: TaskReportParts) {
    this.#parts = parts;
    this.#batcher = new Batcher((reports) => this.#apply(reports), {
      maxItems: MAX_REPORTS_PER_BATCH,
      isSplit: isRefused,
    });
  }

  /** @returns one verdict per event, in order, once the batch is durable */
  add(report: Report): Promise<EventVerdict[]> {
    return this.#batcher.add(report);
  }

  async #apply(reports: Report[]): Promise<EventVerdict[][]> {
    const { verdicts, due } = await this.#parts.db.transaction(async (tx) => {
      const now = new Date(this.#parts.clock.now());
      const events = reports.flatMap((report) => report.events);
      const tasks = await lockTasks(tx, [...new Set(events.flatMap((event) => event.task_id ?? []))]);
      const affected = [...tasks.values()].filter((task) => hasEffect(task.type)).map((task) => task.terminal_id);
      const observed = events.flatMap((event) => (event.kind === 'terminal' ? (event.terminal_id ?? []) : []));
      const terminals = await TerminalChanges.lock(tx, [...affected, ...observed]);
      const files = await listReportedFiles(tx, listFileIds(events, tasks.values()));
      const folded = this.#fold(reports, tasks, terminals, { now, files });
      const hostsWithNext = await applyTransitions(tx, folded.transitions, this.#parts.ends);
      await applyEffects(
        { tx, vault: this.#parts.vault, ends: this.#parts.ends, terminals, now },
        folded.transitions,
        folded.secrets,
      );
      await terminals.write();
      await leaveHosts(tx, listProofs(folded.transitions));
      return { verdicts: folded.verdicts, due: hostsWithNext };
    });
    this.#parts.wakeups.wake(due);
    return verdicts;
  }

  #fold(
    reports: Report[],
    tasks: Map<string, LockedTask>,
    terminals: TerminalChanges,
    { now, files }: { now: Date; files: ReportedFiles },
  ) {
    const random = this.#parts.random ?? Math.random;
    const transitions = new Map<string, TaskTransition>();
    const secrets = new Map<string, { password?: string | undefined }>();
    const verdicts = reports.map(({ hostId, events }) => {
      const answers = events.map((event): EventVerdict => {
        if (event.kind === 'terminal') return this.#foldTerminal(terminals, hostId, event);
        const id = event.task_id ?? '';
        const task = tasks.get(id);
        const account = task && terminals.find(task.terminal_id);
        const { verdict, transition } = judge(task, transitions.get(id), hostId, event, {
          now,
          files,
          account,
          random,
        });
        if (transition) {
          transitions.set(id, transition);
          learnTrading(terminals, transition);
        }
        if (transition && event.secrets) secrets.set(id, event.secrets);
        return verdict;
      });
      this.#noteRefused(hostId, events, answers);
      return answers;
    });
    return { verdicts, transitions: [...transitions.values()], secrets };
  }

  /** One line per report, however many of its events are stale: a host must not flood the log. */
  #noteRefused(hostId: string, events: AgentEvent[], verdicts: EventVerdict[]): void {
    const refused = events.filter(({ kind }, index) => kind !== 'terminal' && verdicts[index] === 'stale');
    const [first] = refused;
    if (!first) return;
    const { task_id: taskId, fence } = first;
    this.#parts.log.warn({ hostId, taskId, fence, refused: refused.length }, 'a stale report was refused');
  }

  #foldTerminal(terminals: TerminalChanges, hostId: string, event: AgentEvent): EventVerdict {
    const { terminal_id: id, status, reason, path, trading_allowed, trading_reason = null, exit } = event;
    if (id === undefined || status === undefined) return 'stale';
    const observed = {
      status: status,
      reason: reason === undefined ? null : toPlainSentence(reason, MAX_REASON),
      path: findFitting(HostPath, path) as string | undefined,
      trading: trading_allowed === undefined ? undefined : { trading_allowed, trading_reason },
      exit,
    };
    return terminals.observe(hostId, id, observed) ? 'accepted' : 'stale';
  }
}
