import { terminalStatuses } from '@berth/contract';
import fc from 'fast-check';
import { expect, test, it } from 'vitest';
import type { Attempt } from '../src/attempts/attempt-ledger.ts';
import { decideReconciliation } from '../src/host/reconcile.ts';
import { TaskType } from '@berth/contract/values';
import { createLogger } from '@berth/kit';
import { waitFor } from '@berth/testing';
import { LeftTerminals } from '../src/host/left-terminals.ts';
import type { AttemptContext, TerminalDriver } from '../src/platforms/driver.ts';

const id = fc.constantFrom('t1', 't2', 't3', 't4', 't5');
const attempts: fc.Arbitrary<Attempt[]> = fc.uniqueArray(
  fc.record(
    {
      taskId: fc.uuid(),
      fence: fc.integer({ min: 1, max: 3 }),
      type: fc.integer({ min: 0, max: 14 }),
      terminalId: id,
      isStarted: fc.boolean(),
      end: fc.constant({ kind: 'completed' as const, steps: [], atMs: 1 }),
    },
    { requiredKeys: ['taskId', 'fence', 'type', 'terminalId', 'isStarted'] },
  ),
  { selector: ({ taskId }) => taskId },
);
const installed = fc.uniqueArray(fc.record({ id, platform: fc.constant('sandbox' as const) }), {
  selector: (t) => t.id,
});
const wanted = fc.uniqueArray(
  fc.record({
    id,
    platform: fc.constant('sandbox' as const),
    status: fc.constantFrom(...terminalStatuses),
    server_name: fc.constant('Demo'),
    login: fc.constant('1'),
  }),
  { selector: (t) => t.id },
);
const found = fc.record({ attempts, installed, wanted });
const decided = (check: (given: Parameters<typeof decideReconciliation>[0]) => void) =>
  fc.assert(fc.property(found, check));

test('reconciliation answers for every attempt exactly once, and never runs one again', () => {
  decided((given) => {
    const named = decideReconciliation(given).flatMap((action) => ('attempt' in action ? [action] : []));
    expect(named.map(({ attempt }) => attempt.taskId)).toEqual(given.attempts.map(({ taskId }) => taskId));
    for (const { kind, attempt } of named) expect(kind).toBe(attempt.end ? 'report' : 'interrupt');
  });
});

test('reconciliation keeps an installed terminal exactly when the server wants it, and stops it otherwise', () => {
  decided((given) => {
    const actions = decideReconciliation(given);
    for (const { id: terminalId } of given.installed) {
      const kinds = actions.flatMap((action) =>
        'terminal' in action && action.terminal.id === terminalId ? [action.kind] : [],
      );
      expect(kinds).toEqual([given.wanted.some((each) => each.id === terminalId) ? 'keep' : 'stop']);
    }
  });
});

test('reconciliation never stops what is not installed, and misses only what was installed once', () => {
  decided((given) => {
    for (const action of decideReconciliation(given)) {
      if (action.kind === 'stop') expect(given.installed).toContainEqual(action.terminal);
      if (action.kind === 'miss') expect([0, 1, 7, 8, 9]).not.toContain(action.terminal.status);
    }
  });
});

/** What terminals that moved away left on a host. */
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
