/** Answers that are made to be slow by what was stored before: nobody else waits long for them. */
import { MAX_SCHEDULES, TaskType } from '@berth/contract';
import { startTestServer, type TestServer } from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { measureStandstill } from './support/standstill.ts';

/** Nobody is kept waiting for longer by one request. A slow route takes longer each time. */
const MAX_STANDSTILL_MS = 100;
const TRIES = 5;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** The shortest of some tries: the machine may have held up one of them. */
const measure = async (work: () => Promise<unknown>): Promise<number> => {
  const measured: number[] = [];
  while (measured.length < TRIES) measured.push(await measureStandstill(work));
  return Math.min(...measured);
};

it('a list of schedules that are due once in decades holds up nobody', async () => {
  const { token } = await server.register('Rarely');
  const body = {
    ...{ name: 'Leap days', all: true, type: TaskType.SCREENSHOT, payload: {}, missed: 'skip' },
    ...{ cron: '0 0 29 2 +1#5', time_zone: 'Europe/London' },
  };
  const { data } = (await server.request('POST', '/v1/my/schedules', { token, body })).body;
  await server.query(
    `insert into schedules (id, user_id, name, filter, type, payload, stagger_seconds, cron, time_zone, missed, enabled, next_at)
     select gen_random_uuid(), user_id, name, filter, type, payload, stagger_seconds, cron, time_zone, missed, enabled, next_at
     from schedules cross join generate_series(2, $2::integer) where id = $1`,
    [data.id, MAX_SCHEDULES],
  );
  const list = () => server.request('GET', `/v1/my/schedules?per_page=${MAX_SCHEDULES}`, { token });
  expect((await list()).body.data).toHaveLength(MAX_SCHEDULES);
  expect(await measure(list)).toBeLessThan(MAX_STANDSTILL_MS);
});
