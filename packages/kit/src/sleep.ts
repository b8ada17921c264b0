import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits; resolves early (never rejects) when the signal aborts.
 * @example
 * import { sleep } from '@berth/kit';
 * await sleep(1_000, AbortSignal.abort());
 */
export const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
  try {
    await delay(ms, undefined, signal ? { signal } : {});
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
};
