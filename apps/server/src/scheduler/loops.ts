/** What every server does without a request, each in a loop of its own: none of them waits for another. */
import type { Lifecycle } from '@berth/kit';
import { AutomaticScreenshots, type AutomaticScreenshotsParts } from './automatic-screenshots.ts';
import { BulkRuns, type BulkRunsParts } from './bulk-runs.ts';
import { Loop, type LoopOptions } from './loop.ts';
import { Pruning, type PruningParts } from './pruning.ts';
import { WebhookSender, type WebhookSenderParts } from '../webhooks/sender.ts';
import { Scheduler, type SchedulerParts } from './scheduler.ts';

const SCREENSHOTS_EVERY_MS = 5_000;
const WEBHOOKS_EVERY_MS = 500;
const PRUNING = { firstAfterMs: 60_000, everyMs: 600_000 };

export type LoopParts = SchedulerParts &
  PruningParts &
  AutomaticScreenshotsParts &
  BulkRunsParts &
  Omit<WebhookSenderParts, 'horizon'> & { events: { horizon: WebhookSenderParts['horizon'] } };

/** Makes the loops; each is awaited by the lifecycle, after the `stopping` signal made it leave. Call `start` to begin. */
export const createLoops = (parts: LoopParts, lifecycle: Lifecycle, { takesScreenshots = true } = {}): Loop[] => {
  const { tickMs: everyMs } = parts.config.times;
  const scheduler = new Scheduler(parts);
  const pruning = new Pruning(parts);
  const screenshots = new AutomaticScreenshots(parts);
  const runs = new BulkRuns(parts);
  const webhooks = new WebhookSender({ ...parts, horizon: parts.events.horizon });
  const loops = [
    { name: 'pruning', everyMs: PRUNING.everyMs, firstAfterMs: PRUNING.firstAfterMs, round: () => pruning.pruneAll() },
    { name: 'automatic screenshots', everyMs: SCREENSHOTS_EVERY_MS, round: () => screenshots.takeTurns() },
    { name: 'runs of tasks', everyMs, round: () => runs.carryOn() },
    { name: 'webhooks', everyMs: WEBHOOKS_EVERY_MS, round: () => webhooks.takeTurns(), end: () => webhooks.stopped() },
    { name: 'the scheduler', everyMs, round: () => scheduler.tick() },
  ];
  return loops
    .filter(({ name }) => takesScreenshots || name !== 'automatic screenshots')
    .map(({ round, end, ...options }: LoopOptions & { round: () => Promise<void>; end?: () => Promise<void> }) => {
      const loop = new Loop(round, options, parts);
      lifecycle.onClose(options.name, () => loop.stopped().then(end));
      return loop;
    });
};
