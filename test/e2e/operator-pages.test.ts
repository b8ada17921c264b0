// @module-tag curl
// @module-tag openssl
/**
 * The commands of the pages for operators, typed as they stand there: a drill with a backup, hosts that join, keys, statements.
 * The slow tests go through the other pages that restore and upgrade, and a second time through all.
 */
import { AccountStatus, type OperatorOverview } from '@berth/contract';
import { withClient } from '@berth/testing';
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

describe('docs/guides/admin.md', { timeout: TIMEOUT_MS }, () => {
  it('docs/guides/admin.md has commands that do what they say', async () => {
    const [commands] = listOf('docs/guides/admin.md');
    const output = await visit.shell.type(commands!);
    expect(output).toContain(`${visit.stack.url}/#password=`);
    const columns = 'status, operator_role, terminal_limit, storage_mib';
    const users = await visit.stack.query(`select ${columns} from users where email = 'ada@example.com'`);
    expect(users).toEqual([
      { status: AccountStatus.ACTIVE, operator_role: 'viewer', terminal_limit: null, storage_mib: 4096 },
    ]);
  });
});
