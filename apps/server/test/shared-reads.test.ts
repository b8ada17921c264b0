import { expect, it } from 'vitest';
import { SharedReads } from '../src/db/shared-reads.ts';

/** Reads that end on request. */
const createReads = () => {
  const shared = new SharedReads();
  const begun: { resolve: (answer: string) => void; reject: (error: Error) => void }[] = [];
  const read = (key = 'list') =>
    shared.read(key, () => new Promise<string>((resolve, reject) => begun.push({ resolve, reject })));
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { read, begun, turn };
};

it('requests that come during a read get the next one, and never the one that had begun', async () => {
  const { read, begun, turn } = createReads();
  const first = read();
  const later = [read(), read(), read()];
  const other = read('another list');
  expect(begun).toHaveLength(2);
  begun[0]!.resolve('old');
  begun[1]!.resolve('other');
  expect([await first, await other]).toEqual(['old', 'other']);
  expect(begun).toHaveLength(3);
  const last = read();
  begun[2]!.resolve('new');
  expect(await Promise.all(later)).toEqual(['new', 'new', 'new']);
  expect(begun).toHaveLength(4);
  begun[3]!.resolve('newest');
  expect(await last).toBe('newest');
  await turn();
  void read();
  expect(begun).toHaveLength(5);
});

it('those who wait get another read where one fails', async () => {
  const { read, begun, turn } = createReads();
  const first = read();
  const later = read();
  begun[0]!.reject(new Error('broken'));
  await expect(first).rejects.toThrow('broken');
  await turn();
  begun[1]!.resolve('well');
  expect(await later).toBe('well');
});
