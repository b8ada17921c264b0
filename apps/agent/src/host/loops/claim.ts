import { MAX_ATTEMPTS_IN_HAND, type DeliveredTask } from '@berth/contract/agent';
import { type Logger, type Timing, toBackoffMs } from '@berth/kit';
import type { AttemptRunner } from '../../attempts/attempt-runner.ts';
import { repeatUntilAnswered } from '../../server/repeat-call.ts';
import type { AttemptKey, ServerCalls } from '../../server/server-calls.ts';

/**
 * After the journal refused a delivery (on a full disk, say). The next claim asks for it again, as long as its lease is
 * valid.
 */
const REFUSED_BACKOFF = { baseMs: 1_000, maxMs: 60_000 };

export interface ClaimOptions {
  server: Pick<ServerCalls, 'claim'>;
  runner: Pick<AttemptRunner, 'freeSlots' | 'slotFreed' | 'accept' | 'listInHand'>;
  /** How long a claim may wait at the server. */
  waitMs: number;
  timing: Timing;
  log: Logger;
}

/** More than are handed out within a lease, as a rule; beyond that, the oldest are handed out, and ignored, once more. */
const MAX_FORGOTTEN = 100;

/** Even if connections keep being cut, claims wait at least this long. */
const MIN_WAIT_MS = 1_000;

/**
 * How long the next claim waits at the server. A proxy that cuts off long waits may lose a delivery that was just being
 * answered: so the wait is halved after each claim without an answer, and lengthened again step by step.
 */
export const toNextWaitMs = (waitMs: number, isAnswered: boolean, maxMs: number): number =>
  isAnswered
    ? Math.min(maxMs, Math.ceil(waitMs * 1.25))
    : Math.max(Math.min(MIN_WAIT_MS, maxMs), Math.floor(waitMs / 2));

/** Claims work whenever a slot is free. Rejects on a fatal answer; resolves when the signal aborts. */
export const runClaimLoop = async (options: ClaimOptions, signal: AbortSignal): Promise<void> => {
  const { server, runner, waitMs: maxWaitMs, timing, log } = options;
  let waitMs = maxWaitMs;
  let refusals = 0;
  /** Accepted once and forgotten since, but handed out again: what is listed is not handed out once more. */
  let forgotten: AttemptKey[] = [];
  const claim = async (slots: number): Promise<DeliveredTask[]> => {
    const known = [...runner.listInHand(), ...forgotten];
    // A part would pass for all of it: without a list, what was lost waits for the end of its lease.
    const wish = { slots, waitMs, known: known.length <= MAX_ATTEMPTS_IN_HAND ? known : undefined };
    let isAnswered = false;
    try {
      const tasks = await server.claim(wish, signal);
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
      forgotten = [...forgotten, ...(await runner.accept(tasks))].slice(-MAX_FORGOTTEN);
      refusals = 0;
    } catch (error) {
      log.error({ err: error }, 'the journal refused a delivery; nothing of it was started');
      await timing.sleep(toBackoffMs(refusals++, { ...REFUSED_BACKOFF, random: timing.random }), signal);
    }
  }
};
