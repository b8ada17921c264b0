import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  timeoutMs?: number;
  /** What is waited for, for the error. */
  what?: string;
}

const POLL_MS = 15;

/** Waits until a condition gives something truthy, and returns it. The timeout is generous: tests never measure time. */
export const waitFor = async <Value>(
  condition: () => Value | Promise<Value>,
  { timeoutMs = 120_000, what = 'the condition' }: WaitOptions = {},
): Promise<Exclude<NonNullable<Value>, false>> => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value as Exclude<NonNullable<Value>, false>;
    if (performance.now() > deadline) throw new Error(`${what} did not come true within ${timeoutMs} ms`);
    await delay(POLL_MS);
  }
};

/** Waits until a count has risen to the total. A slow machine may take as long as it likes, as long as the count goes on rising. */
export const waitForAll = async (
  count: () => number | Promise<number>,
  total: number,
  { timeoutMs = 120_000, what = 'the total' }: WaitOptions = {},
): Promise<void> => {
  let most = -1;
  while (most < total) {
    const rise = async (): Promise<{ to: number } | undefined> => {
      const to = await count();
      return to > most ? { to } : undefined;
    };
    const name = most < 0 ? what : `${what}, at ${most} of ${total},`;
    most = (await waitFor(rise, { timeoutMs, what: name })).to;
  }
};
