// @module-tag curl
/**
 * The examples of the API: each is carried out by `@berth/client` and by `curl` at once, on a real server with hosts. What
 * is kept of them has the shape of what was answered. `--update` renews what has changed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publicOperations } from '@berth/contract';
import { useTestStack } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';
import { clean, merge } from './api-examples/keep.ts';
import { runExamples, type ApiExample, type ExampleRun } from './api-examples/run.ts';

const TIMEOUT_MS = 900_000;
const file = join(import.meta.dirname, '../../apps/server/src/api/docs/examples.json');

const stack = useTestStack({ environment: { BERTH_TIME_PERCENT: '50' } });
let real: Record<string, ApiExample>;
let audited: ExampleRun['audited'];
beforeAll(async () => {
  ({ examples: real, audited } = await runExamples(stack));
}, TIMEOUT_MS);

const toKept = (): Record<string, unknown> => {
  const kept = (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}) as Record<string, ApiExample>;
  const replaced = { [stack.url]: 'http://127.0.0.1:4000', [stack.dataDir]: '/var/lib/berth' };
  return Object.fromEntries(
    Object.keys(publicOperations).map((name) => {
      const { curl, ts, ...rest } = real[name] ?? { curl: '', ts: '' };
      const { curl: _, ts: __, ...before } = kept[name] ?? { curl: '', ts: '' };
      return [name, { curl, ts, ...(merge(before, clean(rest, replaced)) as object) }];
    }),
  );
};

it('there is one for every operation', () => {
  expect(Object.keys(publicOperations).filter((name) => !real[name])).toEqual([]);
});

it('those that are kept are what was sent, and have the shape of what was answered', async () => {
  await expect(`${JSON.stringify(toKept(), null, 2)}\n`).toMatchFileSnapshot(file);
});

/** Their examples change nothing that is kept; apps/server/test/audit-log.test.ts has calls that do. */
const withoutRow: Record<string, string> = {
  register: 'nobody could have asked before',
  createTask: 'it is an ordinary task',
  createTerminals: 'it is a dry run',
  unlockTerminal: 'the terminal is not locked',
};

it('each change of an example has one row in the audit log, with the action of its route', () => {
  const changes = Object.entries(publicOperations).filter(([, { method }]) => method !== 'GET');
  const wanted = changes.map(([name, { audit }]) => [name, audit && !(name in withoutRow) ? [audit] : []]);
  expect(Object.fromEntries(changes.map(([name]) => [name, audited[name] ?? []]))).toEqual(Object.fromEntries(wanted));
});

it('no secret of the run is kept', () => {
  const text = JSON.stringify(toKept());
  const secrets = Object.values(real).flatMap(({ answer }) => JSON.stringify(answer ?? '').match(/\b\w{40,}\b/g) ?? []);
  expect(secrets.length).toBeGreaterThan(3);
  expect(secrets.filter((secret) => !/^[0-9a-f]{64}$/.test(secret) && text.includes(secret))).toEqual([]);
  expect(text).not.toContain(stack.dataDir);
});
