/** Fills a database with users, hosts and terminals by a few statements, as the API would have made them one by one. */
import { randomUUID } from 'node:crypto';
import { createSecret, toSecretHash } from '@berth/testing/bench';
import pg from 'pg';

export interface SeededTerminal {
  id: string;
  hostId: string;
}

export interface Seeded {
  userId: string;
  token: string;
  hosts: { id: string; bearer: string }[];
  /** In turn: one of each host, then the next of each. */
  terminals: SeededTerminal[];
}

const ACTIVE = 3;

const userText = `with project as (
    insert into projects (id, user_id, name) values ($2, $1, 'Default')
  ), account as (
    insert into users (id, name, email, password_hash, default_project_id, plan) values ($1, 'Bench', $3, 'none', $2, 9)
  )
  insert into tokens (user_id, name, abilities, secret_hash) values ($1, 'bench', '{*}', $4) returning id`;

const hostText = `insert into hosts (id, region_id, name, platforms, capacity, credential_hash, status, terminal_count)
  select id, 0, 'host-' || left(id::text, 8), '{sandbox}', 1000000, $2, 0, $3 from unnest($1::uuid[]) as h (id)`;

const terminalText = `insert into terminals (id, user_id, project_id, host_id, region_id, platform, name, server_name, login, status)
  select gen_random_uuid(), $1, $2, h.id, 0, 'sandbox', 'terminal ' || n || ' ' || left(md5(n::text), 8), 'Bench-Server',
    (100000 + n)::text, ${ACTIVE}
  from generate_series($4::int, $5::int) as n cross join unnest($3::uuid[]) as h (id)
  returning id, host_id as "hostId"`;

export interface SeedSize {
  hosts: number;
  terminalsPerHost: number;
}

/** Creates one user with hosts and terminals of their own. */
export const seed = async (url: string, { hosts: count, terminalsPerHost }: SeedSize): Promise<Seeded> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const [userId, projectId, secret] = [randomUUID(), randomUUID(), createSecret()];
    await client.query('begin; set constraints all deferred');
    const email = `${userId}@example.com`;
    const { rows } = await client.query<{ id: string }>(userText, [userId, projectId, email, toSecretHash(secret)]);
    const hosts = Array.from({ length: count }, () => randomUUID());
    await client.query(hostText, [hosts, toSecretHash(secret), terminalsPerHost]);
    const values = [userId, projectId, hosts, 1, terminalsPerHost];
    const terminals = (await client.query<SeededTerminal>(terminalText, values)).rows;
    await client.query('commit');
    await client.query('vacuum analyze terminals');
    const bearers = hosts.map((id) => ({ id, bearer: `${id}|${secret}` }));
    return { userId, token: `${rows[0]?.id}|${secret}`, hosts: bearers, terminals };
  } finally {
    await client.end();
  }
};

const othersText = `insert into terminals (id, user_id, project_id, region_id, platform, name, server_name, login, status)
  select gen_random_uuid(), u.id, u.default_project_id, 0, 'sandbox', 'other ' || n || ' ' || left(md5(n::text), 8),
    'Server-' || n % 50, (n % 900000)::text, ${ACTIVE}
  from generate_series(1, $1::int) as n
  join lateral (select id, default_project_id from users where email like 'other-%' order by id offset n % 100 limit 1) u on true`;

/** Adds a number of terminals of a hundred other users. */
export const seedOthers = async (url: string, count: number): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (let index = 0; index < 100; index += 1) {
      const [userId, projectId] = [randomUUID(), randomUUID()];
      await client.query('begin; set constraints all deferred');
      await client.query(userText, [userId, projectId, `other-${index}@example.com`, toSecretHash(createSecret())]);
      await client.query('commit');
    }
    // A lateral join would read the users again for each row: pairs are created once.
    await client.query(
      'create temp table others as select row_number() over (order by id) - 1 as place, id, default_project_id from users where email like $$other-%$$',
    );
    await client.query(othersText.replace(/join lateral[\s\S]+$/, 'join others u on u.place = n % 100'), [count]);
    await client.query('vacuum analyze terminals');
  } finally {
    await client.end();
  }
};
