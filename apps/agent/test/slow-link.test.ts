/** Links that are slow, or break in the middle. */
import { randomBytes } from 'node:crypto';
import { createLogger, systemTiming, Wakeup } from '@berth/kit';
import { expect, test } from 'vitest';
import { runClaimLoop, toNextWaitMs } from '../src/host/loops/claim.ts';
import type { ClaimWish } from '../src/server/server-calls.ts';
import { aTask, aTerminal } from './support/tasks.ts';
import { useAgent, type AgentUnderTest } from './support/agent-under-test.ts';
import { waitFor } from '@berth/testing/wait-for';

let host: AgentUnderTest;
useAgent((agent) => (host = agent));

const content = randomBytes(300_000);

test('a download that breaks off goes on where it was', async () => {
  host.server.files.set('file-9', content);
  host.server.cutsAfterBytes = [100_000, 50_000];
  host.start();
  const task = aTask(aTerminal(), { payload: { file: 'file-9' } });
  host.server.deliver(task);
  expect(await host.endOf(task.id)).toMatchObject({ kind: 'completed' });
  expect(host.server.ranges).toEqual(['', 'bytes=100000-', 'bytes=150000-']);
  expect(host.server.uploads[0]?.content.equals(content)).toBe(true);
});

test('a download whose file changed in between begins again', async () => {
  host.server.files.set('file-9', randomBytes(300_000));
  host.server.cutsAfterBytes = [100_000];
  host.start();
  const task = aTask(aTerminal(), { payload: { file: 'file-9' } });
  host.server.deliver(task);
  await waitFor(() => host.server.ranges.length === 1, { what: 'the first try' });
  host.server.files.set('file-9', content);
  await host.endOf(task.id);
  expect(host.server.ranges).toEqual(['', 'bytes=100000-']);
  expect(host.server.uploads[0]?.content.equals(content)).toBe(true);
});

test('every claim lists the attempts in hand, so a lost one is delivered again, and what is repeated runs once', async () => {
  host.server.replyOnce('claim', { cutsConnection: true });
  host.start();
  const [kept, lost] = [aTask(aTerminal(), { payload: { file: 'none' } }), aTask(aTerminal())];
  host.server.deliver(lost);
  await waitFor(() => host.server.known.length === 2, { what: 'the claim after the lost one' });
  expect(host.server.known).toEqual([[], []]);
  host.server.deliver(lost);
  await host.endOf(lost.id);
  await waitFor(() => host.server.heartbeats.at(-1)?.length === 0, { what: 'a claim that has nothing in hand' });
  // As a standby would that never learnt of the end.
  const claims = host.server.known.length;
  host.server.deliver(lost);
  await waitFor(() => host.server.known.length > claims, { what: 'a claim after it' });
  expect(host.server.known.at(-1)).toEqual([{ task_id: lost.id, fence: lost.fence }]);
  host.server.deliver(kept);
  await host.endOf(kept.id);
  expect(host.log).toContain('tasks were delivered again');
  const starts = host.server.events.filter(({ kind, task_id }) => kind === 'started' && task_id === lost.id);
  expect(starts).toHaveLength(1);
  expect(host.server.ends(lost.id)).toHaveLength(1);
});

test('what the journal refused is asked for again', async () => {
  const asked: unknown[] = [];
  let refusals = 1;
  const stopping = new AbortController();
  const runner = {
    freeSlots: 1,
    slotFreed: new Wakeup(),
    listInHand: () => [{ taskId: 'in hand', fence: 2 }],
    accept: async () => {
      if (refusals-- > 0) throw new Error('no space left on device');
      stopping.abort();
      return [];
    },
  };
  const server = {
    claim: async ({ known }: ClaimWish) => {
      asked.push(known);
      return [aTask(aTerminal())];
    },
  };
  const timing = { ...systemTiming, sleep: async () => undefined };
  const log = createLogger({ name: 'test', level: 'silent' });
  await runClaimLoop({ server, runner, waitMs: 1, timing, log }, stopping.signal);
  const inHand = [{ taskId: 'in hand', fence: 2 }];
  expect(asked).toEqual([inHand, inHand]);
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
