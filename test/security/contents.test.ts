/** Answers that are made to be slow by what was stored before: nobody else waits long for them. */
import { MAX_SCHEDULES, TaskType } from '@berth/contract';
import { waitFor, useTestServer } from '@berth/testing';
import { expect, it } from 'vitest';
import { measureStandstill } from './support/standstill.ts';

/** Nobody is kept waiting for longer by one request. A slow route takes longer each time. */
const MAX_STANDSTILL_MS = 100;
const TRIES = 5;

const server = useTestServer();

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

it('a risk rule that is tried on a month of some terminals holds up nobody', async () => {
  const { token, user } = await server.register('Tries');
  await server.query(
    `with made as (
       insert into terminals (id, user_id, project_id, region_id, platform, name, server_name, login, status)
       select gen_random_uuid(), u.id, u.default_project_id, 0, 'sandbox', 'T' || n, 'Demo', n, 3
       from users u cross join generate_series(1, 5) n where u.id = $1 returning id, login
     ), accounts as (
       insert into trading_accounts (terminal_id, login, server_name) select id, login, 'Demo' from made returning id
     )
     insert into account_quarters (account_id, at, balance, equity_min, equity_max, equity, profit)
     select a.id, date_bin('15 minutes', now(), '2000-01-01') - n * interval '15 minutes', 10000, 9990 - n % 7, 10010, 10000 + n % 5, 0
     from accounts a cross join generate_series(1, 2800) n`,
    [user.id],
  );
  const rule = {
    ...{ name: 'Daily', kind: 'daily_loss', percent: 5, time_zone: 'America/New_York', all: true },
    ...{ actions: ['notify'], basis: 'equity', day_starts: '17:00' },
  };
  const now = Date.now();
  const body = { rule, from: new Date(now - 29 * 86_400_000).toISOString(), to: new Date(now).toISOString() };
  const tryIt = () => server.request('POST', '/v1/my/risk-rules/try', { token, body });
  expect((await tryIt()).body).toMatchObject({ ok: true });
  expect(await measure(tryIt)).toBeLessThan(MAX_STANDSTILL_MS);
  // While one of the user is under way, two may wait.
  let end = (): void => undefined;
  const underWay = server.services.trials.run(user.id, () => new Promise<void>((resolve) => (end = resolve)));
  const answered: number[] = [];
  const all = Array.from({ length: 5 }, async () => answered.push((await tryIt()).status));
  await waitFor(() => answered.length === 3, { what: 'three refusals' });
  expect(answered).toEqual([429, 429, 429]);
  end();
  await Promise.all([underWay, ...all]);
  expect(answered).toEqual([429, 429, 429, 200, 200]);
});
