/** Links that are slow, or break in the middle. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toNextWaitMs } from '../src/loops/claim.ts';
import { aTask, aTerminal } from './support/tasks.ts';
import { TestHost } from './support/test-host.ts';
import { waitFor } from './support/wait-for.ts';

let host: TestHost;
beforeEach(async () => {
  host = new TestHost();
  await host.server.open();
});
afterEach(() => host.close());

const content = randomBytes(300_000);
const endOf = (taskId: string) => waitFor('the end of a task', () => host.server.ends(taskId)[0]);

test('a download that breaks off goes on where it was', async () => {
  host.server.files.set('file-9', content);
  host.server.cutsAfterBytes = [100_000, 50_000];
  host.start();
  const task = aTask(aTerminal(), { payload: { file: 'file-9' } });
  host.server.deliver(task);
  expect(await endOf(task.id)).toMatchObject({ kind: 'completed' });
  expect(host.server.ranges).toEqual(['', 'bytes=100000-', 'bytes=150000-']);
  expect(host.server.uploads[0]?.content.equals(content)).toBe(true);
});

test('a download whose file changed in between begins again', async () => {
  host.server.files.set('file-9', randomBytes(300_000));
  host.server.cutsAfterBytes = [100_000];
  host.start();
  const task = aTask(aTerminal(), { payload: { file: 'file-9' } });
  host.server.deliver(task);
  await waitFor('the first try', () => host.server.ranges.length === 1);
  host.server.files.set('file-9', content);
  await endOf(task.id);
  expect(host.server.ranges).toEqual(['', 'bytes=100000-']);
  expect(host.server.uploads[0]?.content.equals(content)).toBe(true);
});

test('a claim waits shorter after each that got no answer, and longer again after each that did', () => {
  const waits = [false, false, false, false, false, false].reduce<number[]>(
    (list, isAnswered) => [...list, toNextWaitMs(list.at(-1) ?? 25_000, isAnswered, 25_000)],
    [],
  );
  expect(waits).toEqual([12_500, 6_250, 3_125, 1_562, 1_000, 1_000]);
  let waitMs = 1_000;
  for (let count = 0; count < 20; count += 1) waitMs = toNextWaitMs(waitMs, true, 25_000);
  expect(waitMs).toBe(25_000);
});
