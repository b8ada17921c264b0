import { setTimeout as delay } from 'node:timers/promises';

/** Waits; resolves early (never rejects) when the signal aborts. */
export const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
  try {
    await delay(ms, undefined, signal ? { signal } : {});
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
};
