/** Long polls that wait in a process, in a time that the test sets. */
import type { DeliveredTask } from '@berth/contract';
import { expect, it } from 'vitest';
import { LongPolls } from '../src/hosts/long-polls.ts';

const task = { id: 'task' } as unknown as DeliveredTask;
const claimOf = (hostId: string) => ({ hostId, sessionId: 'session', slots: 1 });

const createPolls = () => {
  const running = new Set<() => void>();
  const polls = new LongPolls((run) => {
    running.add(run);
    return () => running.delete(run);
  });
  return { polls, running, endTime: () => running.forEach((run) => run()) };
};

it('a hint ends every wait for its host, and no other', async () => {
  const { polls, running, endTime } = createPolls();
  const waits = ['host', 'host', 'other'].map((id) => polls.listen(claimOf(id)).next(1_000));
  expect([polls.wake('host'), polls.wake('nobody')]).toEqual([true, false]);
  expect(running.size).toBe(1);
  endTime();
  expect(await Promise.all(waits)).toEqual(['hint', 'hint', undefined]);
});

it('a hint that comes while nobody waits yet ends the next wait, and only that', async () => {
  const { polls, endTime } = createPolls();
  const poll = polls.listen(claimOf('host'));
  polls.wake('host');
  expect(await poll.next(1_000)).toBe('hint');
  const next = poll.next(1_000);
  endTime();
  expect(await next).toBeUndefined();
});

it('nobody listens for a host any more once its last poll has stopped', () => {
  const { polls } = createPolls();
  const [first, second] = [polls.listen(claimOf('host')), polls.listen(claimOf('host'))];
  first.stop();
  expect(polls.wake('host')).toBe(true);
  second.stop();
  expect(polls.wake('host')).toBe(false);
});

it('a claim can be answered only while it waits, by one at a time, and only the newest of its host', async () => {
  const { polls, running } = createPolls();
  const older = polls.listen(claimOf('host'));
  void older.next(1_000);
  const poll = polls.listen(claimOf('host'));
  expect(polls.findWaiting('host')).toBeUndefined();
  const wait = poll.next(1_000);
  expect(polls.findWaiting('host')).toBe(poll);
  poll.answer(Promise.resolve([task]));
  expect(polls.findWaiting('host')).toBeUndefined();
  expect(running.size).toBe(1);
  expect(await wait).toEqual([task]);
  expect([polls.findWaiting('host'), polls.findWaiting('other')]).toEqual([undefined, undefined]);
});

it('a hint that comes while a claim is being answered ends its next wait, if there is one', async () => {
  const { polls } = createPolls();
  const poll = polls.listen(claimOf('host'));
  const wait = poll.next(1_000);
  let find = (_tasks: DeliveredTask[]): void => undefined;
  poll.answer(new Promise((resolve) => (find = resolve)));
  polls.wake('host');
  find([]);
  expect(await wait).toEqual([]);
  expect(await poll.next(1_000)).toBe('hint');
});

it('a claim fails with the answer whose outcome nobody knows', async () => {
  const { polls } = createPolls();
  const poll = polls.listen(claimOf('host'));
  const wait = poll.next(1_000);
  poll.answer(Promise.reject(new Error('the database is away')));
  await expect(wait).rejects.toThrow('away');
});
