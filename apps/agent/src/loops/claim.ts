import type { DeliveredTask } from '@berth/contract';
import { toBackoffMs, type Logger } from '@berth/kit';
import type { AttemptRunner } from '../attempt-runner.ts';
import { repeatUntilAnswered } from '../repeat-call.ts';
import type { ServerCalls } from '../server-connection.ts';
import type { Timing } from '../timing.ts';

/** After the journal refused a delivery (a full disk, say). The server hands it out again when the lease has lapsed. */
const REFUSED_BACKOFF = { baseMs: 1_000, maxMs: 60_000 };

export interface ClaimOptions {
  server: Pick<ServerCalls, 'claim'>;
  runner: Pick<AttemptRunner, 'freeSlots' | 'slotFreed' | 'accept'>;
  /** How long a claim may wait at the server. */
  waitMs: number;
  timing: Timing;
  log: Logger;
}

/** A connection that somebody cuts again and again is used for so long at least. */
const MIN_WAIT_MS = 1_000;

/**
 * How long the next claim waits at the server. A proxy that cuts what waits too long, or lives too long, takes a delivery with
 * it that was just being answered: half as long after each claim that got no answer, and back again step by step.
 */
export const toNextWaitMs = (waitMs: number, isAnswered: boolean, maxMs: number): number =>
  isAnswered
    ? Math.min(maxMs, Math.ceil(waitMs * 1.25))
    : Math.max(Math.min(MIN_WAIT_MS, maxMs), Math.floor(waitMs / 2));

/** Asks for work whenever a slot is free. Rejects on a fatal answer; resolves when the signal aborts. */
export const runClaimLoop = async (options: ClaimOptions, signal: AbortSignal): Promise<void> => {
  const { server, runner, waitMs: maxWaitMs, timing, log } = options;
  let waitMs = maxWaitMs;
  let refusals = 0;
  const claim = async (slots: number): Promise<DeliveredTask[]> => {
    let isAnswered = false;
    try {
      const tasks = await server.claim(slots, waitMs, signal);
      isAnswered = true;
      return tasks;
    } finally {
      waitMs = toNextWaitMs(waitMs, isAnswered, maxWaitMs);
    }
  };
  while (!signal.aborted) {
    const slots = runner.freeSlots;
    if (slots <= 0) {
      await runner.slotFreed.wait(signal);
      continue;
    }
    const tasks = await repeatUntilAnswered(() => claim(slots), { signal, timing, log });
    if (!tasks || tasks.length === 0) continue;
    try {
      await runner.accept(tasks);
      refusals = 0;
    } catch (error) {
      log.error({ err: error }, 'the journal refused a delivery; nothing of it was started');
      await timing.sleep(toBackoffMs(refusals++, { ...REFUSED_BACKOFF, random: timing.random }), signal);
    }
  }
};
