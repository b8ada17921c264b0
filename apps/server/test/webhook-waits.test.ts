/** When a delivery that failed is tried again. */
import { WEBHOOK_WAITS_S } from '@berth/contract';
import { expect, it } from 'vitest';
import { toRetry, toSeconds } from '../src/webhooks/message.ts';

const attempt = { at: '', response_status: 500, response_excerpt: null, ms: 1, error: 'It failed.' };
const event = { id: null, type: null, occurred_at: null, terminal_id: null, project_id: null, data: null };
/** After so many tries that failed before this one. */
const retry = (attempt_count: number, random: number, retryAfterS = 0) =>
  toRetry(
    { ...event, delivery_id: 'd', is_test: true, created_at: '', attempt_count },
    attempt,
    retryAfterS,
    () => random,
  );

it('a delivery is tried again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, give or take a fifth, and then not any more', () => {
  const [MIN, H] = [60, 3_600];
  const waits = [5, 5 * MIN, 30 * MIN, 2 * H, 5 * H, 10 * H, 10 * H];
  expect(WEBHOOK_WAITS_S).toEqual([0, ...waits]);
  for (const [failed, base] of waits.entries()) {
    expect(retry(failed, 0)).toMatchObject({ status: 'pending', waitS: 0.8 * base });
    expect(retry(failed, 0.5).waitS).toBeCloseTo(base);
    expect(retry(failed, 1).waitS).toBeCloseTo(1.2 * base);
  }
  expect(retry(waits.length, 0.5)).toMatchObject({ status: 'failed', waitS: null });
});

it('an endpoint puts off the next try of a delivery as long as it asks for, but an hour at most, and never makes it sooner', () => {
  expect([retry(0, 0.5, 90).waitS, retry(0, 0.5, 86_400).waitS, retry(1, 0.5, 1).waitS]).toEqual([90, 3_600, 300]);
  expect(['120', '-5', 'Fri, 31 Dec 1999 23:59:59 GMT', undefined].map(toSeconds)).toEqual([120, 0, 0, 0]);
});
