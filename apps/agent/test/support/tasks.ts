import { randomUUID } from 'node:crypto';
import { access } from 'node:fs/promises';
import { TaskType, TerminalStatus, type DeliveredTask, type WantedTerminal } from '@berth/contract';
import { expect } from 'vitest';
import type { AttemptOutcome } from '../../src/platforms/driver.ts';

export const aTerminal = (id: string = randomUUID()): WantedTerminal => ({
  id,
  platform: 'sandbox',
  status: TerminalStatus.PENDING,
  server_name: 'Demo',
  login: '1',
});

export const aTask = (terminal: WantedTerminal, given: Partial<DeliveredTask> = {}): DeliveredTask => ({
  id: randomUUID(),
  fence: 1,
  type: TaskType.MARKET_WATCH_SHOW_ALL,
  terminal,
  payload: {},
  secrets: {},
  running_deadline_ms: 60_000,
  ...given,
});

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
