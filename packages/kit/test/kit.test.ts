import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import type { ConfigError } from '../src/index.ts';
import { Batcher, createLogger, EnvReader, Lifecycle, setSystemTimer, toBackoffMs } from '../src/index.ts';

it('Batcher gives every caller its own result, in batches that never overlap', async () => {
  let running = 0;
  const sizes: number[] = [];
  const batcher = new Batcher<number, number>(
    async (items) => {
      running += 1;
      expect(running).toBe(1);
      sizes.push(items.length);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return items.map((item) => item * 2);
    },
    { maxItems: 10 },
  );
  const results = await Promise.all(Array.from({ length: 25 }, (_, index) => batcher.add(index)));
  expect(results).toEqual(Array.from({ length: 25 }, (_, index) => index * 2));
  expect(sizes).toEqual([10, 10, 5]);
});

it('Batcher fails only the batch that failed', async () => {
  const batcher = new Batcher<string, string>(
    async (items) => {
      if (items.includes('bad')) throw new Error('refused');
      return items;
    },
    { maxItems: 1 },
  );
  const [good, bad, next] = await Promise.allSettled([batcher.add('good'), batcher.add('bad'), batcher.add('next')]);
  expect([good.status, bad.status, next.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('Batcher that gathers lets calls of later turns share a batch, and does not hold up a full one', async () => {
  const sizes: number[] = [];
  const createBatcher = (options: { maxItems: number; gatherMs: number }) =>
    new Batcher<number, number>(async (items) => {
      sizes.push(items.length);
      return items;
    }, options);
  const gathering = createBatcher({ maxItems: 10, gatherMs: 200 });
  const first = gathering.add(1);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(await Promise.all([first, gathering.add(2), gathering.add(3)])).toEqual([1, 2, 3]);
  expect(sizes.splice(0)).toEqual([3]);
  // Were they held up, the test would never end.
  const full = createBatcher({ maxItems: 2, gatherMs: 2 ** 31 - 1 });
  expect(await Promise.all([full.add(4), full.add(5)])).toEqual([4, 5]);
  expect(sizes).toEqual([2]);
});

it('Batcher that splits lets one bad item fail alone', async () => {
  const batcher = new Batcher<string, string>(
    async (items) => {
      if (items.includes('bad')) throw new Error('refused');
      return items;
    },
    { maxItems: 10, isSplit: () => true },
  );
  const settled = await Promise.allSettled(['good', 'bad', 'next'].map((item) => batcher.add(item)));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('Lifecycle closes the last opened first, once, and goes on after a failure', async () => {
  const closed: string[] = [];
  const lifecycle = new Lifecycle();
  lifecycle.onClose('first', () => void closed.push('first'));
  lifecycle.onClose('broken', () => Promise.reject(new Error('no')));
  lifecycle.onClose('last', () => void closed.push('last'));
  await expect(lifecycle.close()).rejects.toThrow('closing broken failed');
  await lifecycle.close().catch(() => undefined);
  expect(closed).toEqual(['last', 'first']);
});

it('EnvReader lists every mistake with the name of its variable', () => {
  const env = new EnvReader({ PORT: '99999', MODE: 'maybe', URL: 'ftp://x' });
  env.integer('PORT', { fallback: 1, min: 0, max: 65_535 });
  env.choice('MODE', ['on', 'off'], 'on');
  env.url('URL', ['http:', 'https:']);
  let mistakes: readonly string[] = [];
  try {
    env.finish();
  } catch (error) {
    mistakes = (error as ConfigError).mistakes;
  }
  expect(mistakes.map((mistake) => mistake.split(' ')[0])).toEqual(['PORT', 'MODE', 'URL']);
});

it('EnvReader takes an empty value as unset', () => {
  const env = new EnvReader({ PORT: ' ' });
  expect(env.integer('PORT', { fallback: 4000, min: 0, max: 65_535 })).toBe(4000);
  env.finish();
});

it('toBackoffMs doubles from half of the base up to the cap', () => {
  expect(toBackoffMs(0, { baseMs: 100, maxMs: 1000, random: () => 0 })).toBe(50);
  expect(toBackoffMs(0, { baseMs: 100, maxMs: 1000, random: () => 1 })).toBe(100);
  expect(toBackoffMs(10, { baseMs: 100, maxMs: 1000, random: () => 1 })).toBe(1000);
});

it('the logger never writes the value of a secret key', () => {
  let text = '';
  const destination = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  const log = createLogger({ name: 'test', destination });
  log.info({ password: 'hunter2', body: { new_password: 'hunter2' }, a: { b: { token: 'hunter2' } } }, 'hello');
  log.info({ list: [{ secret: 'hunter2' }] }, 'list');
  log.child({ authorization: 'hunter2' }).info('child');
  log.error({ err: Object.assign(new TypeError('broken'), { password: 'hunter2' }) }, 'error');
  expect(text.match(/hello|list|child|TypeError: broken/g)).toContain('TypeError: broken');
  expect(text.split('\n')).toHaveLength(5);
  expect(text).not.toContain('hunter2');
});

it('setSystemTimer calls back once, and never after it was canceled', async () => {
  const called: string[] = [];
  const cancel = setSystemTimer(() => called.push('canceled'), 1);
  cancel();
  await new Promise<void>((resolve) => {
    setSystemTimer(() => {
      called.push('kept');
      resolve();
    }, 1);
  });
  expect(called).toEqual(['kept']);
});
