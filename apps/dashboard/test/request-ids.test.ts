/** The id that is shown with a change's outcome is the id of that change, or none. */
import { expect, test } from 'vitest';
import { noteChange, withRequestId } from '../src/data/request-ids.ts';

test('a change is shown with the id of its last request', async () => {
  const change = await withRequestId(async () => {
    noteChange('first');
    noteChange('second');
    return 'done';
  });
  expect(change).toEqual({ outcome: 'done', requestId: 'second' });
});

test('a change without a request has no id, whatever was before it', async () => {
  await withRequestId(async () => noteChange('earlier'));
  expect(await withRequestId(async () => 1)).toEqual({ outcome: 1, requestId: undefined });
});

test('two changes at once have none, because it could be that of the other', async () => {
  let letGo = (): void => undefined;
  const held = withRequestId(async () => {
    await new Promise<void>((resolve) => {
      letGo = resolve;
    });
    noteChange('of the first');
  });
  const second = await withRequestId(async () => noteChange('of the second'));
  letGo();
  expect([second.requestId, (await held).requestId]).toEqual([undefined, undefined]);
});

test('after a failure the next change is shown correctly again', async () => {
  await expect(withRequestId(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect((await withRequestId(async () => noteChange('mine'))).requestId).toBe('mine');
});
