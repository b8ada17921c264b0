import { setTimeout as delay } from 'node:timers/promises';

/** Waits until the condition holds. Generous: it fails only when something is broken, not when the machine is busy. */
export const waitFor = async <Value>(what: string, condition: () => Value | undefined | false): Promise<Value> => {
  const giveUpAt = Date.now() + 45_000;
  for (;;) {
    const value = condition();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > giveUpAt) throw new Error(`waited in vain for: ${what}`);
    await delay(10);
  }
};
