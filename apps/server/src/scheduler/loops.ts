/** What every server does without a request, each in a loop of its own: none of them waits for another. */
import { sleep, type Lifecycle, type Logger } from '@berth/kit';
import { DatabaseUnavailableError } from '../db/database.ts';
import { AutomaticScreenshots, type AutomaticScreenshotsParts } from './automatic-screenshots.ts';
import { BulkRuns, type BulkRunsParts } from '../runs/carrying-on.ts';
import { Pruning, type PruningParts } from './pruning.ts';
import { Schedules, type SchedulesParts } from './schedules.ts';
import { AlertSender, type AlertSenderParts } from '../alerts/sender.ts';
import { AlertWatcher, type AlertWatcherParts } from '../alerts/watcher.ts';
import { tellNews } from '../events/news.ts';
import { askToStop, type DrainsParts } from '../deployment/drain.ts';
import { carryOnMoves, type MoveParts } from '../deployment/moves.ts';
import { removeClosedUsers, type RemovedUsersParts } from '../deployment/removed-users.ts';
import { takeHostSamples } from '../samples/hosts.ts';
import { askForChecks } from '../tasks/switch-checks.ts';
import { endLocks, type LockEndParts } from '../risk/lock-ends.ts';
import { addUpChanges } from '../storage/budget.ts';
import { releasePlanned } from '../tasks/planned.ts';
import { WebhookSender, type WebhookSenderParts } from '../webhooks/sender.ts';
import { askUnconfirmed, type TradingStopsParts } from '../runs/trading-stop.ts';
import { Scheduler, type SchedulerParts } from './scheduler.ts';
import { Tidying, type TidyingParts } from './tidying.ts';

const SCREENSHOTS_EVERY_MS = 5_000;
const WEBHOOKS_EVERY_MS = 500;
const ALERTS_EVERY_MS = 500;
const STOPS_EVERY_MS = 5_000;
const CHECKS_EVERY_MS = 5_000;
const CLOSED_EVERY_MS = 30_000;
const HOST_SAMPLES_EVERY_MS = 20_000;
/** In ticks. */
const TIDYING_EVERY = 30;
const PRUNING = { firstAfterMs: 60_000, everyMs: 600_000 };

export type LoopParts = SchedulerParts &
  TidyingParts &
  PruningParts &
  AutomaticScreenshotsParts &
  BulkRunsParts &
  SchedulesParts &
  TradingStopsParts &
  DrainsParts &
  MoveParts &
  RemovedUsersParts &
  LockEndParts &
  AlertSenderParts &
  Omit<AlertWatcherParts, 'horizon'> &
  Omit<WebhookSenderParts, 'horizon'> & { events: { horizon: WebhookSenderParts['horizon'] } };

export interface LoopOptions {
  /** What it does, for the log: `the scheduler`. */
  name: string;
  /** How long it rests after each round. */
  everyMs: number;
  /** How long it waits before the first one. */
  firstAfterMs?: number;
}

/** What a server does again and again. A round that fails is logged, and the next one tries again. */
class Loop {
  readonly #round: () => Promise<void>;
  readonly #options: LoopOptions;
  readonly #parts: { log: Logger; stopping: AbortSignal };
  #running: Promise<void> | undefined;

  constructor(round: () => Promise<void>, options: LoopOptions, parts: { log: Logger; stopping: AbortSignal }) {
    this.#round = round;
    this.#options = options;
    this.#parts = parts;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when the loop has left; the `stopping` signal makes it. */
  async stopped(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    const { name, everyMs, firstAfterMs = 0 } = this.#options;
    const { log, stopping } = this.#parts;
    if (firstAfterMs > 0) await sleep(firstAfterMs, stopping);
    while (!stopping.aborted) {
      try {
        await this.#round();
      } catch (error) {
        const level = error instanceof DatabaseUnavailableError ? 'debug' : 'error';
        log[level]({ err: error }, `a round of ${name} failed; the next one tries again`);
      }
      await sleep(everyMs, stopping);
    }
  }
}

/**
 * Makes the loops; each is awaited by the lifecycle, after the `stopping` signal made it leave. Call `start` to begin.
 * @param without names of those that are not made, for tests that take their turns themselves
 * @param others what the layers above do
 */
export const createLoops = (
  parts: LoopParts,
  lifecycle: Lifecycle,
  {
    without = [],
    others = [],
  }: { without?: readonly string[]; others?: readonly (LoopOptions & { round: () => Promise<void> })[] } = {},
): Loop[] => {
  const { tickMs: everyMs } = parts.config.times;
  const scheduler = new Scheduler(parts);
  const tidying = new Tidying(parts);
  const pruning = new Pruning(parts);
  const screenshots = new AutomaticScreenshots(parts);
  const runs = new BulkRuns(parts);
  const schedules = new Schedules(parts);
  const webhooks = new WebhookSender({ ...parts, horizon: parts.events.horizon });
  const alerts = new AlertWatcher({ ...parts, horizon: parts.events.horizon });
  const messages = new AlertSender(parts);
  const loops = [
    { name: 'pruning', everyMs: PRUNING.everyMs, firstAfterMs: PRUNING.firstAfterMs, round: () => pruning.pruneAll() },
    { name: 'automatic screenshots', everyMs: SCREENSHOTS_EVERY_MS, round: () => screenshots.takeTurns() },
    { name: 'runs of tasks', everyMs, round: () => runs.carryOn() },
    { name: 'stops of trading', everyMs: STOPS_EVERY_MS, round: () => askUnconfirmed(parts) },
    { name: 'samples of hosts', everyMs: HOST_SAMPLES_EVERY_MS, round: () => takeHostSamples(parts.db.slow) },
    { name: 'drains of hosts', everyMs, round: () => askToStop(parts) },
    { name: 'moves of terminals', everyMs, round: () => carryOnMoves(parts) },
    { name: 'checks of switches', everyMs: CHECKS_EVERY_MS, round: () => askForChecks(parts.db.slow) },
    { name: 'ends of locks', everyMs, round: () => endLocks(parts) },
    { name: 'planned tasks', everyMs, round: () => releasePlanned(parts.db.slow, parts.stopping) },
    { name: 'schedules', everyMs, round: () => schedules.runDue() },
    { name: 'webhooks', everyMs: WEBHOOKS_EVERY_MS, round: () => webhooks.takeTurns(), end: () => webhooks.stopped() },
    { name: 'alerts', everyMs: ALERTS_EVERY_MS, round: () => alerts.takeTurns() },
    { name: 'messages', everyMs: ALERTS_EVERY_MS, round: () => messages.takeTurns(), end: () => messages.stopped() },
    { name: 'closed accounts', everyMs: CLOSED_EVERY_MS, round: () => removeClosedUsers(parts) },
    { name: 'storage', everyMs, round: () => addUpChanges(parts.db.slow) },
    { name: 'news', everyMs, round: () => tellNews(parts.db) },
    { name: 'tidying', everyMs: TIDYING_EVERY * everyMs, round: () => tidying.tidy() },
    { name: 'the scheduler', everyMs, round: () => scheduler.tick() },
    ...others,
  ];
  return loops
    .filter(({ name }) => !without.includes(name))
    .map(({ round, end, ...options }: LoopOptions & { round: () => Promise<void>; end?: () => Promise<void> }) => {
      const loop = new Loop(round, options, parts);
      lifecycle.onClose(options.name, () => loop.stopped().then(end));
      return loop;
    });
};
