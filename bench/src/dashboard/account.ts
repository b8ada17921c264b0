/** An account as large as the dashboard is made for: what a year of work leaves, written by a few statements. */
import { randomBytes } from 'node:crypto';
import { toPasswordHash } from '@berth/testing/bench';
import pg from 'pg';
import { PNG } from 'pngjs';
import { seed, type Seeded } from '../seed.ts';

export const TERMINALS = 2_000;
export const TASKS = 1_000_000;
export const PASSWORD = 'a-password-of-the-bench';
const HOSTS = 20;
const OPEN = 300;
const ONLINE = 1;

/** What a thumbnail of a chart takes: a few kB. */
const createThumbnail = (): Buffer => {
  const image = new PNG({ width: 116, height: 66 });
  const lines = randomBytes(image.width);
  for (let at = 0; at < image.data.length; at += 4) {
    const place = at / 4;
    const isLine = Math.abs(Math.floor(place / image.width) - (lines[place % image.width] ?? 0) / 4) < 2;
    image.data.set(isLine ? [120, 220, 180, 255] : [16, 20, 26, 255], at);
  }
  return PNG.sync.write(image);
};

/** Hosts and loads are of the future, so that they stay fresh however long is measured. */
const stateText = `
  update hosts set status = ${ONLINE}, last_seen_at = now() + interval '1 day', capacity = 1000;
  insert into terminal_loads (terminal_id, sampled_at, link, ping_ms, memory_mb, cpu_permille, disk_mb, minute_at, watched, ups,
      most_memory_mb, cpu_sum, cpu_count)
    select id, now() + interval '1 day', 1, 20 + random() * 60, 250 + random() * 200, random() * 80, 40,
      date_trunc('minute', now()), 4, 4, 300, 40, 4
    from terminals;
  insert into terminal_minutes (terminal_id, hour_at, link, ping_ms, memory_mb, cpu_permille, disk_mb)
    select id, date_trunc('hour', now()) - h * interval '1 hour', array_fill(100::smallint, array[60]),
      array_fill((20 + random() * 60)::smallint, array[60]), array_fill(300, array[60]), array_fill(15, array[60]),
      array_fill(40, array[60])
    from terminals cross join generate_series(1, 24) as h;
  insert into terminal_quarters (terminal_id, day_at, link, minutes, ping_ms, memory_mb, cpu_permille, disk_mb)
    select id, date_trunc('day', now()) - d * interval '1 day', array_fill(99::smallint, array[96]),
      array_fill(15::smallint, array[96]), array_fill((20 + random() * 60)::smallint, array[96]), array_fill(300, array[96]),
      array_fill(15, array[96]), array_fill(40, array[96])
    from terminals cross join generate_series(1, 30) as d`;

const screenshotsText = `with made as (
    insert into files (id, user_id, name, type, size, sha256, content, expires_at)
    select gen_random_uuid(), user_id, id::text, 'image/png', length($1::bytea), 'x', $1::bytea, now() + interval '30 days'
    from terminals
    returning id, name
  )
  insert into terminal_screenshots (terminal_id, file_id, thumbnail) select name::uuid, id, $1::bytea from made`;

/** 4 of 100 failed, one was cancelled; the rest is what people and programs do all day. */
const taskText = `
  insert into tasks (id, user_id, host_id, terminal_id, type, status, payload, result, attempts, created_at, updated_at, state_since,
      delivered_at, started_at, finished_at, history)
  select gen_random_uuid(), t.user_id, t.host_id, t.id, (array[2, 4, 5, 5, 6, 6, 6, 7, 9, 12])[1 + n % 10],
    case n % 100 when 4 then 6 else case when n % 100 < 4 then 5 else 4 end end,
    jsonb_build_object('chart_id', '130000000000000001'),
    jsonb_build_object('status', case when n % 100 < 5 then 1 else 0 end, 'runner_result', jsonb_build_array(
      jsonb_build_object('step', 'do', 'ok', n % 100 >= 5, 'code', null, 'message', 'Done.', 'at', '2026-01-01T00:00:00.000Z',
        'data', '{}'::jsonb))),
    1, at, at, at, at, at, at,
    array[row(at, null, 0, 'user', 0), row(at, 0, 2, 'agent', 1), row(at, 2, 3, 'agent', 1), row(at, 3, 4, 'agent', 1)]::task_move[]
  from generate_series(1, $1::int) as n
  join (select *, row_number() over (order by id) - 1 as place from terminals) t on t.place = n % ${TERMINALS}
  cross join lateral (select now() - ($1::int - n) * interval '30 seconds' as at) a
  order by n`;

const openText = `insert into tasks (id, user_id, host_id, terminal_id, type, planned_at)
  select gen_random_uuid(), user_id, host_id, id, 5, now() + interval '1 day' from terminals order by id limit ${OPEN}`;

export interface Account extends Seeded {
  email: string;
}

/** One user with 2,000 terminals on 20 hosts, their screenshots and samples of 30 days, and a million tasks that have ended. */
export const seedAccount = async (url: string): Promise<Account> => {
  const seeded = await seed(url, { hosts: HOSTS, terminalsPerHost: TERMINALS / HOSTS });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const hash = await toPasswordHash(PASSWORD);
    const values = [seeded.userId, hash];
    const text = 'update users set password_hash = $2 where id = $1 returning email';
    const email = (await client.query<{ email: string }>(text, values)).rows[0]?.email ?? '';
    // The triggers announce to nobody here, and complete no history.
    await client.query('set session_replication_role = replica');
    await client.query(stateText);
    await client.query(screenshotsText, [createThumbnail()]);
    await client.query(taskText, [TASKS]);
    await client.query(openText);
    await client.query('vacuum analyze');
    return { ...seeded, email };
  } finally {
    await client.end();
  }
};
