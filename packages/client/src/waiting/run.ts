/** Following a run to its end. */
import { ApiError } from '../errors.ts';
import { pause } from '../http/deadline.ts';
import { toSpreadMs } from '../http/retries.ts';
import type { BulkRuns } from '../resources/bulk-runs.ts';
import type { BulkRun } from '../types.ts';
import { isPassing } from './wait.ts';

/** While something changes, and when nothing does. */
const FIRST_POLL_MS = 1_000;
const MAX_POLL_MS = 5_000;

/** The part of a client that following a run needs. */
export interface RunReader {
  /** Reads runs. */
  bulkRuns: Pick<BulkRuns, 'get'>;
}

/** Options for following a run. */
export interface FollowOptions {
  /** Ends the loop, and nothing else. */
  signal?: AbortSignal | undefined;
}

/**
 * The state of a run, now and after each change, until it has ended. An unreachable server, or one that rejects
 * requests for a while, is waited for. The run continues whether or not somebody follows it.
 * @throws NotFoundError where the run was dismissed
 * @example
 * import { Berth, followRun } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const { id } = await berth.terminals.create({ server_name: 'Harbour-Demo', login: '5007', password: 'trade-me' });
 * const { id: runId } = await berth.bulkRuns.create('MARKET_WATCH_SHOW_ALL', { terminal_ids: [id] });
 * for await (const { total, succeeded, failed, skipped } of followRun(berth, runId)) {
 *   console.log(`${succeeded} of ${total} done, ${failed} failed, ${skipped} skipped`);
 * }
 * await berth.terminals.delete(id);
 */
export async function* followRun(
  berth: RunReader,
  id: string,
  { signal }: FollowOptions = {},
): AsyncGenerator<BulkRun, void, undefined> {
  let seen = '';
  for (let pollMs = FIRST_POLL_MS; !signal?.aborted; pollMs = Math.min(MAX_POLL_MS, 1.5 * pollMs)) {
    let askedMs = 0;
    try {
      const run = await berth.bulkRuns.get(id, { signal, maxRetries: 0 });
      if (JSON.stringify(run) !== seen) {
        pollMs = FIRST_POLL_MS;
        yield run;
      }
      seen = JSON.stringify(run);
      if (run.finished_at !== null) return;
    } catch (error) {
      if (signal?.aborted) return;
      if (!isPassing(error)) throw error;
      askedMs = error instanceof ApiError && error.retryAfterMs !== undefined ? toSpreadMs(error.retryAfterMs) : 0;
    }
    await pause(Math.max(pollMs, askedMs), signal);
  }
}
