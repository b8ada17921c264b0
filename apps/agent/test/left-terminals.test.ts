/** What terminals that moved away left on a host. */
import { TaskType } from '@berth/contract/values';
import { createLogger } from '@berth/kit';
import { expect, it } from 'vitest';
import { waitFor } from '@berth/testing';
import { LeftTerminals } from '../src/host/left-terminals.ts';
import type { AttemptContext, TerminalDriver } from '../src/platforms/driver.ts';

const [MOVED, RUNS, GONE] = ['1', '2', '3'].map((end) => `00000000-0000-7000-8000-00000000000${end}`) as [
  string,
  string,
  string,
];
const signal = new AbortController().signal;

/** A host with one terminal that is stopped, and one that is meant to run. */
const createHost = () => {
  const installed = new Set([MOVED, RUNS]);
  const carriedOut: string[] = [];
  const removed: string[] = [];
  const toDriver = (id: string) =>
    ({
      terminalId: id,
      shouldRun: () => id === RUNS,
      isAlive: () => false,
      carryOut: ({ task: { type } }: AttemptContext) => {
        carriedOut.push(`${type} ${id}`);
        installed.delete(id);
        return Promise.resolve({ kind: 'completed', steps: [] });
      },
    }) as unknown as TerminalDriver;
  const left = new LeftTerminals({
    registry: { listInstalled: () => Promise.resolve([...installed].map((id) => ({ id, platform: 'sandbox' }))) },
    keeper: { run: ({ id }, job) => job(toDriver(id)) },
    onRemoved: (id) => removed.push(id),
    log: createLogger({ name: 'test', level: 'silent' }),
  });
  return { left, carriedOut, removed };
};

it('a host removes what a terminal left there once, says so until the server has heard it, and leaves alone what is meant to run', async () => {
  const { left, carriedOut, removed } = createHost();
  left.note([], [MOVED, RUNS, GONE], signal);
  left.note([], [MOVED, RUNS, GONE], signal);
  await waitFor(() => left.list().length === 2);
  expect(left.list().sort()).toEqual([MOVED, GONE]);
  expect([carriedOut, removed]).toEqual([[`${TaskType.TERMINAL_DESTROY} ${MOVED}`], [MOVED]]);
  left.note([MOVED], [GONE], signal);
  expect(left.list()).toEqual([GONE]);
  left.note([GONE], [], signal);
  expect(left.list()).toEqual([]);
});
