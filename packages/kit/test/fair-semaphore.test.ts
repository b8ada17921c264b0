import { TooManyWaitingError, FairSemaphore } from '@berth/kit';
import { expect, it } from 'vitest';

/** Work that ends on request, and the order in which it began. */
const createWorkshop = (semaphore: FairSemaphore) => {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = (owner: string, name: string): Promise<void> =>
    semaphore.run(owner, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  return { begun, begin, end: (name: string) => ends.get(name)?.() };
};

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('the turns of FairSemaphore leave a place to others, however much one owner asks for', async () => {
  const { begun, begin } = createWorkshop(new FairSemaphore({ places: 3, perOwner: 2, maxWaiting: 10 }));
  for (const name of ['a1', 'a2', 'a3']) void begin('a', name);
  void begin('b', 'b1');
  await settle();
  expect(begun).toEqual(['a1', 'a2', 'b1']);
});

it('the turns of FairSemaphore go round among the owners: b1 came last and does not wait for all that a asked for before', async () => {
  const { begun, begin, end } = createWorkshop(new FairSemaphore({ places: 1, perOwner: 1, maxWaiting: 10 }));
  for (const name of ['a1', 'a2', 'a3']) void begin('a', name);
  void begin('b', 'b1');
  for (const name of ['a1', 'a2', 'b1', 'a3']) {
    await settle();
    end(name);
  }
  await settle();
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
});

it('the turns of FairSemaphore are refused to an owner who already waits for too many, and to nobody else', async () => {
  const { begun, begin, end } = createWorkshop(new FairSemaphore({ places: 1, perOwner: 1, maxWaiting: 1 }));
  void begin('a', 'a1');
  void begin('a', 'a2');
  await expect(begin('a', 'a3')).rejects.toThrow(TooManyWaitingError);
  void begin('b', 'b1');
  end('a1');
  await settle();
  end(begun.at(-1) ?? '');
  await settle();
  expect(begun.sort()).toEqual(['a1', 'a2', 'b1']);
});

it('the turns of FairSemaphore are given on when the work fails', async () => {
  const semaphore = new FairSemaphore({ places: 1, perOwner: 1, maxWaiting: 1 });
  await expect(semaphore.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await semaphore.run('b', () => Promise.resolve('done'))).toBe('done');
});
