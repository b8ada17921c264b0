/** Long polls that wait in a process, in a time that the test sets. */
import { expect, it } from 'vitest';
import { LongPolls } from '../src/hosts/long-polls.ts';

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
  const waits = ['host', 'host', 'other'].map((id) => polls.listen(id).next(1_000));
  expect([polls.wake('host'), polls.wake('nobody')]).toEqual([true, false]);
  expect(running.size).toBe(1);
  endTime();
  expect(await Promise.all(waits)).toEqual([true, true, false]);
});

it('a hint that comes while nobody waits yet ends the next wait, and only that', async () => {
  const { polls, endTime } = createPolls();
  const poll = polls.listen('host');
  polls.wake('host');
  expect(await poll.next(1_000)).toBe(true);
  const next = poll.next(1_000);
  endTime();
  expect(await next).toBe(false);
});

it('nobody listens for a host any more once its last poll has stopped', () => {
  const { polls } = createPolls();
  const [first, second] = [polls.listen('host'), polls.listen('host')];
  first.stop();
  expect(polls.wake('host')).toBe(true);
  second.stop();
  expect(polls.wake('host')).toBe(false);
});
