import { access } from 'node:fs/promises';
import { expect } from 'vitest';
import type { AttemptOutcome } from '../../src/platforms/driver.ts';

export const lastOf = ({ steps }: AttemptOutcome) => steps.at(-1)!;

/** The answer of a task that must have succeeded. */
export const dataOf = (outcome: AttemptOutcome) => {
  expect(outcome.kind, JSON.stringify(outcome.steps)).toBe('completed');
  return lastOf(outcome).data;
};

export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
