/** script/operator as real processes on a real database: what an operator does without a browser and without psql. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditEntry, HostDetails, ManagedUser, PasswordLink } from '@berth/contract';
import { endProcesses, TestHost, useTestServer } from '@berth/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from './commands.ts';

const TIMEOUT_MS = 600_000;
const PASSWORD = 'correct horse battery staple';
const server = useTestServer();
let folder: string;
let owner: Awaited<ReturnType<typeof server.registerOperator>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-commands-'));
  owner = await server.registerOperator();
});
afterEach(() => endProcesses());
afterAll(() => rm(folder, { recursive: true, force: true }));

const toSettings = () => ({ BERTH_DATA_DIR: join(folder, 'data'), BERTH_DATABASE_URL: server.databaseUrl });
/** As a person types it: words, with a text of several in quotes. */
const run = (line: string, settings: Record<string, string> = {}) => {
  const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
  return runProgram('operator-main', { ...toSettings(), ...settings }, ...args);
};
/** What programs get. */
const ask = async <Answer>(line: string): Promise<Answer> => {
  const { code, output } = await run(`${line} --json`, { BERTH_PUBLIC_URL: 'https://berth.example.com' });
  expect([line, code, output]).toEqual([line, 0, expect.stringContaining('"ok": true')]);
  return JSON.parse(output) as Answer;
};
const show = async (id: string) =>
  (await server.request('GET', `/v1/operator/users/${id}`, { token: owner.token })).body.data as ManagedUser;
const listAudit = async (query: string) =>
  (await server.request('GET', `/v1/operator/audit-log?${query}`, { token: owner.token })).body.data as AuditEntry[];
const signIn = async (email: string, password: string) =>
  (await server.request('POST', '/v1/auth/login', { body: { email, password } })).status;
const countRows = async () =>
  (await server.query('select (select count(*) from audit_log) as audit, (select count(*) from users) as users'))[0];

describe('script/operator', { timeout: TIMEOUT_MS }, () => {
  it('an operator creates a user, who sets a password with the printed link, and the audit log says that a command did it', async () => {
    const given = '--email ada@example.com --name "Ada Lovelace" --terminals 3 --regions 0,1';
    const { user, password_link: link } = await ask<{ user: ManagedUser; password_link: PasswordLink }>(
      `users create ${given}`,
    );
    expect(user).toMatchObject({ name: 'Ada Lovelace', limits: { terminals: 3, storage_mib: null, regions: [0, 1] } });
    expect(link.url).toMatch(/^https:\/\/berth\.example\.com\/#password=/);
    const code = new URL(link.url).hash.replace('#password=', '');
    const set = await server.request('POST', '/v1/auth/set-password', { body: { code, password: PASSWORD } });
    expect([set.status, await signIn('ada@example.com', PASSWORD)]).toEqual([200, 200]);
    const [row] = await listAudit(`action=user.create&target=${user.id}`);
    expect(row).toMatchObject({ actor: { kind: 'operator', user_id: null, token_id: null }, address: null });
    expect(JSON.stringify(row)).not.toContain(code);
  });

  it('an operator limits, suspends, reactivates, signs out, closes and reopens a user, and changes the role', async () => {
    const { token, user } = await server.register('Grace');
    const { id, email } = user;
    await ask(`users limit ${email} --storage-mib 5 --terminals 2`);
    await ask(`users limit ${id} --terminals plan`);
    expect((await show(id)).limits).toEqual({ terminals: null, storage_mib: 5, regions: null });
    await ask(`users suspend ${email.toUpperCase()} --reason "Owes money" --terminals stop`);
    expect(await show(id)).toMatchObject({ status: 'suspended', suspension: { reason: 'Owes money' } });
    expect((await run(`users password-link ${id}`)).code).toBe(1);
    await ask(`users reactivate ${id}`);
    await ask(`users sign-out ${id}`);
    expect((await server.request('GET', '/v1/my/account/profile', { token })).status).toBe(401);
    await ask(`users role ${id} viewer`);
    expect((await show(id)).role).toBe('viewer');
    await ask(`users role ${id} none`);
    await ask(`users close ${id} --reason "Asked for it"`);
    expect(await show(id)).toMatchObject({ status: 'closed', role: null });
    await ask(`users reopen ${id}`);
    expect((await show(id)).status).toBe('suspended');
    const rows = (await listAudit(`target=${id}`)).filter(({ actor }) => actor.kind === 'operator');
    expect(rows.map(({ action }) => action).toReversed()).toEqual([
      ...['user.update', 'user.update', 'user.update', 'user.update', 'user.sign_out', 'user.update', 'user.update'],
      ...['user.close', 'user.reopen'],
    ]);
  });

  it('a list is a table for a person, whatever names users have, and finds what was searched', async () => {
    const { user } = await server.register('Red');
    await server.query(`update users set name = E'\\x1b[2JRed \\x07 alert' where id = $1`, [user.id]);
    const { code, output } = await run('users list --search alert');
    expect([code, output.split('\n').length, output]).toEqual([0, 3, expect.stringContaining(user.id)]);
    expect(['\u0007', '\u001b'].filter((character) => output.includes(character))).toEqual([]);
    expect((await run('users list --search nobody-has-this')).output).toBe('No user matches.\n');
    const one = await ask<{ users: ManagedUser[]; total: number }>('users list --limit 1');
    expect([one.users.length, one.total > 1]).toEqual([1, true]);
  });

  it('an invitation that a command made is accepted by the address that it names', async () => {
    const { url } = await ask<{ url: string }>('users invite --email kurt@example.com --days 2 --plan 1');
    const code = new URL(url).hash.replace('#invitation=', '');
    const body = { code, name: 'Kurt', password: PASSWORD };
    const accepted = await server.request('POST', '/v1/auth/accept-invitation', { body });
    expect(accepted.body.data).toMatchObject({ email: 'kurt@example.com' });
    expect(await signIn('kurt@example.com', PASSWORD)).toBe(200);
  });

  it('a host is cordoned and drained by its name; of two with one name, the id is asked for', async () => {
    const host = await TestHost.enrol(server, { name: 'lon-1' });
    for (let n = 0; n < 2; n += 1) await TestHost.enrol(server, { name: 'twin' });
    expect((await ask<{ host: HostDetails }>('hosts cordon lon-1')).host).toMatchObject({
      id: host.id,
      cordoned: true,
    });
    const { host: drained } = await ask<{ host: HostDetails }>('hosts drain lon-1 --terminals stay');
    expect(drained.drain).toMatchObject({ terminals: 'stay' });
    expect((await run('hosts uncordon lon-1')).output).toContain('being drained');
    expect((await ask<{ host: HostDetails }>('hosts end-drain lon-1 --uncordon')).host).toMatchObject({
      ...{ cordoned: false, drain: null },
    });
    const twins = await run('hosts cordon twin');
    expect([twins.code, twins.output]).toEqual([1, expect.stringContaining('Take the id: ')]);
    expect((await run('hosts list')).output.match(/twin .* yes/g)).toHaveLength(2);
  });

  it('a backup that is asked for is due at once, and not asked for twice', async () => {
    expect(await run('backups run')).toMatchObject({
      ...{ code: 1, output: expect.stringContaining('No backups are scheduled') as string },
    });
    await server.query(
      `insert into scheduled_backup (plan, interval_seconds, due_at) values ('x', 60, now() + interval '1 day')`,
    );
    const backups = join(folder, 'backups');
    await mkdir(backups);
    await writeFile(join(backups, 'berth-2026-01-01T03-00-00Z.tar.gz'), 'whole');
    await ask('backups run');
    expect((await run('backups run')).code).toBe(1);
    const due = await server.query('select due_at <= now() as is_due from scheduled_backup');
    expect(due).toEqual([{ is_due: true }]);
    const list = await run('backups list', { BERTH_BACKUP_DIR: backups });
    expect([list.code, list.output]).toEqual([0, expect.stringContaining('berth-2026-01-01T03-00-00Z.tar.gz')]);
    expect(await listAudit('action=backup.run')).toHaveLength(1);
  });

  it.each([
    ['users lst', 2, 'Did you mean users list?'],
    ['users', 2, 'Name a command of users'],
    ['userss list', 2, 'Did you mean users?'],
    ['users list --serach x', 2, '--serach'],
    ['users list --search ""', 2, '--search is empty'],
    ['users list --status gone', 2, 'status'],
    ['users suspend --reason Debt --terminals stop', 2, 'An argument is missing'],
    ['users suspend "" --reason Debt --terminals stop', 2, 'USER is empty'],
    ['users suspend nobody@example.com --reason Debt --terminals stop', 1, 'no user with the id or e-mail address'],
    ['users suspend OWNER --reason Debt', 2, '--terminals is missing'],
    ['users suspend OWNER --reason Debt --terminals all', 2, 'terminals'],
    ['users suspend OWNER --reason Debt --terminals stop', 1, 'One active owner has to remain'],
    ['users limit OWNER', 2, 'at least one limit'],
    ['users limit OWNER --terminals many', 2, 'whole number'],
    ['users limit OWNER --regions 99', 1, 'regions'],
    ['users role OWNER king', 2, 'viewer, operator, owner or none'],
    ['users role OWNER none', 1, 'One active owner has to remain'],
    ['users create --email x --name "Ada Lovelace"', 2, 'email'],
    ['users create --email OWNER --name "Ada Lovelace"', 1, 'already'],
    ['users password-link OWNER --password secret', 2, '--password'],
    ['hosts drain "" --terminals stop', 2, 'HOST is empty'],
    ['hosts drain nowhere --terminals stop', 1, 'no host with the id or name'],
    ['hosts drain 0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10 --terminals stop', 1, 'no host with the id or name'],
  ])('"%s" does nothing, ends with %i, and says why', async (line, expected, reason) => {
    const before = await countRows();
    const { code, output } = await run(line.replace('OWNER', owner.user.email));
    expect([code, output]).toEqual([expected, expect.stringContaining(reason)]);
    expect(output).not.toMatch(/\n\s+at /);
    expect(await countRows()).toEqual(before);
  });

  it('each command has a page of help, which needs no database', async () => {
    const { output } = await run('--help');
    const names = [...output.matchAll(/^ {2}((?:users|hosts|backups) \S+)/gm)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(15);
    for (const name of names) {
      const help = await run(`${name} --help`, { BERTH_DATABASE_URL: 'postgres://127.0.0.1:1/none' });
      expect([help.code, help.output]).toEqual([0, expect.stringContaining(`Usage: script/operator ${name}`)]);
    }
  });

  it('a database of another version is left alone', async () => {
    await server.query(`insert into migrations (name, sha256) values ('999999_later.sql', 'x')`);
    const { code, output } = await run('users list');
    await server.query(`delete from migrations where name = '999999_later.sql'`);
    expect([code, output]).toEqual([1, expect.stringContaining('another version')]);
  });
});
