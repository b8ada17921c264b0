import {
  isFinalTaskStatus,
  taskCatalogue,
  TaskStatus,
  TerminalStatus,
  type AlertChannelKind,
  type TaskType,
} from '@berth/contract';
import type { Logger } from '@berth/kit';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import {
  countDueMessages,
  countHosts,
  countOpenTasks,
  countTerminals,
  readTickAge,
  type StatusCount,
} from './queries.ts';

/** The counts of the database are at most this old: several scrapers, or an eager one, cost no more than one. */
const GAUGE_TTL_MS = 5_000;

const hostStatuses = { ENROLLED: 0, ONLINE: 1, LOST: 2, RETIRED: 3 } as const;
const TASK_BUCKETS_S = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];

/** Status names of a table of the contract, lower case, by number. */
const toNames = (statuses: Record<string, number>): Map<number, string> =>
  new Map(Object.entries(statuses).map(([name, status]) => [status, name.toLowerCase()]));

const taskNames = toNames(TaskStatus);
const openTaskNames = toNames(
  Object.fromEntries(Object.entries(TaskStatus).filter(([, status]) => !isFinalTaskStatus(status))),
);

/** What this process measures, and what the database holds; no label ever names a user or an object of one. */
export class Metrics {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #registry = new Registry();
  readonly #taskDurations: Histogram;
  readonly #tasksEnded: Counter;
  readonly #gauges: readonly { gauge: Gauge; names: Map<number, string>; count: () => Promise<StatusCount[]> }[];
  readonly #tickAge: Gauge;
  readonly #alertMessages: Counter;
  readonly #alertMessagesWaiting: Gauge;
  #collected: { at: number; done: Promise<void> } | undefined;

  constructor(db: Database, log: Logger) {
    this.#db = db;
    this.#log = log;
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    const labelNames = ['type', 'outcome'];
    this.#tasksEnded = new Counter({
      name: 'berth_tasks_ended_total',
      help: 'Tasks that ended',
      labelNames,
      registers,
    });
    this.#taskDurations = new Histogram({
      name: 'berth_task_duration_seconds',
      help: 'Time from the last delivery of a task to its end',
      labelNames,
      buckets: TASK_BUCKETS_S,
      registers,
    });
    this.#tickAge = new Gauge({
      name: 'berth_scheduler_tick_age_seconds',
      help: 'Time since a scheduler, of whichever server, completed a tick',
      registers,
    });
    this.#alertMessages = new Counter({
      name: 'berth_alert_messages_total',
      help: 'Tries of messages of alerts, by the kind of their channel, and what came of them: sent, pending (tried again), failed',
      labelNames: ['channel', 'outcome'],
      registers,
    });
    this.#alertMessagesWaiting = new Gauge({
      name: 'berth_alert_messages_waiting',
      help: 'Messages of alerts that are due and not sent yet',
      registers,
    });
    const createGauge = (name: string, help: string) => new Gauge({ name, help, labelNames: ['status'], registers });
    this.#gauges = [
      {
        gauge: createGauge('berth_tasks_open', 'Tasks that have not ended, by status'),
        names: openTaskNames,
        count: () => countOpenTasks(this.#db.slow),
      },
      {
        gauge: createGauge('berth_hosts', 'Hosts by status'),
        names: toNames(hostStatuses),
        count: () => countHosts(this.#db.slow),
      },
      {
        gauge: createGauge('berth_terminals', 'Terminals that exist, by status'),
        names: toNames(TerminalStatus),
        count: () => countTerminals(this.#db.slow),
      },
    ];
  }

  /** Counts an ended task. @param durationMs since its last delivery; undefined where it had none */
  taskEnded(type: TaskType, outcome: TaskStatus, durationMs: number | undefined): void {
    const labels = { type: taskCatalogue[type].name, outcome: taskNames.get(outcome) ?? 'unknown' };
    this.#tasksEnded.inc(labels);
    if (durationMs !== undefined) this.#taskDurations.observe(labels, durationMs / 1000);
  }

  /** Counts a try of a message of an alert. */
  alertMessageTried(channel: AlertChannelKind, outcome: 'sent' | 'pending' | 'failed'): void {
    this.#alertMessages.inc({ channel, outcome });
  }

  /** A gauge of this process, read on each scrape: one value, or one for each value of a label. */
  addGauge(name: string, help: string, label: string | undefined, read: () => number | Record<string, number>): void {
    const collect = function (this: Gauge): void {
      const figures = read();
      if (typeof figures === 'number') this.set(figures);
      else for (const [value, figure] of Object.entries(figures)) this.set({ [label ?? '']: value }, figure);
    };
    const labelNames = label === undefined ? [] : [label];
    this.#registry.registerMetric(new Gauge({ name, help, labelNames, registers: [], collect }));
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Everything in Prometheus' text format. Without the database its gauges are missing; the rest is there. */
  async toText(): Promise<string> {
    const now = performance.now();
    if (!this.#collected || now - this.#collected.at >= GAUGE_TTL_MS) {
      this.#collected = { at: now, done: this.#collect() };
    }
    await this.#collected.done;
    return this.#registry.metrics();
  }

  async #collect(): Promise<void> {
    await Promise.all([
      this.#read(async () => this.#tickAge.set(await readTickAge(this.#db.slow))),
      this.#read(async () => this.#alertMessagesWaiting.set(await countDueMessages(this.#db.slow))),
      ...this.#gauges.map(({ gauge, names, count }) => {
        gauge.reset();
        return this.#read(async () => {
          const counts = await count();
          // A status without any members is 0: a series that comes and goes cannot be monitored.
          for (const name of names.values()) gauge.set({ status: name }, 0);
          for (const { status, total } of counts) gauge.set({ status: names.get(status) ?? String(status) }, total);
        });
      }),
    ]);
  }

  async #read(read: () => Promise<void>): Promise<void> {
    try {
      await read();
    } catch (error) {
      this.#log.warn({ err: error }, 'a gauge could not be read from the database');
    }
  }
}
