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

/** Asks for work whenever a slot is free. Rejects on a fatal answer; resolves when the signal aborts. */
export const runClaimLoop = async (options: ClaimOptions, signal: AbortSignal): Promise<void> => {
  const { server, runner, waitMs, timing, log } = options;
  let refusals = 0;
  while (!signal.aborted) {
    const slots = runner.freeSlots;
    if (slots <= 0) {
      await runner.slotFreed.wait(signal);
      continue;
    }
    const tasks = await repeatUntilAnswered(() => server.claim(slots, waitMs, signal), { signal, timing, log });
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
