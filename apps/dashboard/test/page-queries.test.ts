/** Data that a page cannot be opened without is read, even when another component that requested it has left. */
import { QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { createQueryClient, readAnew, readForPage } from '../src/data/query-client.ts';
import { unreported } from '../src/data/reading.ts';

/** A query whose answers come when they are given; its request is given up with its signal. */
const openQuery = () => {
  const answers: ((value: string) => void)[] = [];
  const query = {
    queryKey: ['session'],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      new Promise<string>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
        answers.push(resolve);
      }),
  };
  return { query, answers };
};
const open = () => createQueryClient({ onSignedOut: () => expect.unreachable() });

test('what a page cannot be opened without is asked for again when the only observer leaves before its answer', async () => {
  const client = open();
  const { query, answers } = openQuery();
  const leave = new QueryObserver(client, query).subscribe(() => undefined);
  const reading = readForPage(client, query);
  leave();
  await expect.poll(() => answers.length).toBe(2);
  answers[1]!('Ada');
  expect(await reading).toBe('Ada');
});

test('what a page cannot be opened without is requested again when everything is reloaded', async () => {
  const client = open();
  const { query, answers } = openQuery();
  const reading = readForPage(client, query);
  readAnew(client);
  await expect.poll(() => answers.length).toBe(2);
  answers[1]!('Ada');
  expect(await reading).toBe('Ada');
});

test('what a page cannot be opened without is refused as the server refused it', async () => {
  const refused = { queryKey: ['session'], queryFn: () => Promise.reject(new Error('No.')) };
  await expect(readForPage(open(), refused)).rejects.toThrow('No.');
});

test('what no event reports is read anew when it is opened again, and what events report is not', async () => {
  const client = open();
  const reads: string[] = [];
  const openTwice = async (name: string, options: object) => {
    const queryFn = () => Promise.resolve(reads.push(name));
    for (const _time of [1, 2]) {
      const close = new QueryObserver(client, { queryKey: [name], queryFn, ...options }).subscribe(() => undefined);
      await expect.poll(() => client.isFetching()).toBe(0);
      close();
    }
  };
  await openTwice('overview', unreported(3_600_000));
  await openTwice('terminals', {});
  expect(reads).toEqual(['overview', 'overview', 'terminals']);
});
