// @module-tag curl
// @module-tag openssl
/**
 * The commands of the pages for operators, typed as they stand there: a drill with a backup, hosts that join, keys, statements.
 * The slow tests go through the other pages that restore and upgrade, and a second time through all.
 */
import type { OperatorOverview } from '@berth/contract';
import { waitFor, withClient } from '@berth/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listOf, OperatorVisit, TIMEOUT_MS, visits } from './operator-visit.ts';

let visit: OperatorVisit;
beforeAll(async () => void (visit = await OperatorVisit.open()), TIMEOUT_MS);
afterEach(() => visit.tidyUp());
afterAll(() => visit?.close(), TIMEOUT_MS);

describe('docs/guides/backup-drill.md', { timeout: TIMEOUT_MS }, () => {
  it('docs/guides/backup-drill.md leads to a copy that has the hosts and the accounts of the original', () =>
    visit.drill());
});

describe('docs/guides/join-a-host.md', { timeout: TIMEOUT_MS }, () => {
  const [order, broker, agent] = listOf('docs/guides/join-a-host.md');

  it.each(visits)('docs/guides/join-a-host.md leads to a host in service %s', async () => {
    visit.empty('broker');
    const answer = JSON.parse(await visit.shell.type(order!)) as { data: { join_token: string } };
    visit.shell.places['<the join token>'] = answer.data.join_token;
    await visit.shell.begin(broker!);
    await visit.shell.begin(agent!);
    await visit.shell.pressCtrlC();
  });
});

describe('docs/guides/two-servers.md', () => {
  it('docs/guides/two-servers.md makes a database that belongs to its role', async () => {
    // The embedded PostgreSQL has a role and a database of these names already.
    const [statements] = listOf('docs/guides/two-servers.md');
    const own = statements!.text.replaceAll(/\bberth\b/g, 'berth_of_two');
    const owners = `select rolname from pg_database join pg_roles r on r.oid = datdba where datname = 'berth_of_two'`;
    await withClient(visit.stack.databaseUrl, async (client) => {
      for (const statement of own.split(';\n').filter((text) => text.trim() !== '')) await client.query(statement);
      expect((await client.query(owners)).rows).toEqual([{ rolname: 'berth_of_two' }]);
      await client.query('drop database berth_of_two');
      await client.query('drop role berth_of_two');
    });
  });

  it('docs/guides/two-servers.md makes a key of 32 bytes', async () => {
    const [, key] = listOf('docs/guides/two-servers.md');
    expect(Buffer.from((await visit.shell.type(key!)).trim(), 'base64')).toHaveLength(32);
  });
});

describe('docs/guides/several-users.md', () => {
  it('docs/guides/several-users.md shows who holds the places', async () => {
    const [ask] = listOf('docs/guides/several-users.md');
    const { data } = JSON.parse(await visit.shell.type(ask!)) as { data: OperatorOverview };
    expect(data).toMatchObject({ data_directory: visit.stack.dataDir, waiting_any_region: 0 });
    const held = data.regions.reduce((sum, region) => sum + region.held, 0);
    expect(data.users.reduce((sum, user) => sum + user.held, 0)).toBe(held);
    expect(data.hosts.online).toBeGreaterThan(0);
  });
});

describe('docs/guides/from-psql.md', { timeout: TIMEOUT_MS }, () => {
  it('docs/guides/from-psql.md has statements that do what they say', async () => {
    const statements = listOf('docs/guides/from-psql.md');
    expect(statements.length).toBeGreaterThan(0);
    const { token, user, berth } = await visit.stack.register('Grace');
    await withClient(visit.stack.databaseUrl, async (client) => {
      for (const { text } of statements) await client.query(text.replaceAll('ada@example.com', user.email));
    });
    const session = await visit.stack.request('GET', '/v1/auth/session', { token });
    expect(session.body).toMatchObject({ data: { user: { is_operator: true } } });
    expect((await berth.operator.hosts.page()).data).not.toEqual([]);
    const isInRegions = async () => (await berth.regions.list().toArray()).some(({ label }) => label === 'Tokyo');
    await waitFor(isInRegions, { what: 'the new region' });
  });
});
