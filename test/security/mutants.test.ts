/**
 * Would anybody notice? Each statement loses, one at a time, a condition that keeps users, hosts, attempts or times apart; then
 * everything is tried across the borders once more. A mutant that changes nothing that can be seen is a border that no test
 * guards: a new statement with an owner needs a look across it in support/borders.ts.
 */
import { listStatements, startTestServer, type TestServer } from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createScene, observe } from './support/borders.ts';
import { toMutants, withMutant, type Mutant } from './support/mutants.ts';

const TIMEOUT_MS = 300_000;

/** Seen by nobody here so far: a second condition hides them, or no look reaches them. The list may only grow shorter. */
const UNSEEN: readonly string[] = [
  'take_password_reset_try: r.expires_at > now()',
  'delete_password_reset: user_id = $1',
  'update_profile: user_id = $1',
  'list_unread_notifications: user_id = $1',
  'count_unread_notifications: user_id = $1',
  'list_files: expires_at > now() (2)',
  'count_files: expires_at > now() (2)',
  'hold_file: expires_at > now() (2)',
  'lock_file: expires_at > now() (2)',
  'is_file_needed: user_id = $1',
  'delete_file: user_id = $1',
  'read_file_slice: user_id = $1',
  'read_file_slice: expires_at > now() (2)',
  'find_storage: user_id = $1',
  'claim_tasks: tm.host_id = a.host_id',
  'claim_tasks: t.host_id = a.host_id (2)',
  'move_tasks: o.host_id = t.host_id',
  'list_tasks: user_id = $2',
  'list_tasks_by_seq: user_id = $2',
  'count_tasks: user_id = $2',
  'list_wanted_terminals: host_id = $1',
  'renew_leases: l.fence = held.fence',
  'renew_leases: l.host_id = held.host_id (2)',
  'find_file_of_task: f.user_id = t.user_id',
  'list_waiting_terminals: user_id = u.user_id',
  'release_tasks_of_host: host_id = $1',
  'release_tasks_of_host: host_id = $1 (2)',
  'detach_tasks_of_host: host_id = $1',
  'detach_terminals_of_host: host_id = $1',
  'list_terminals_created_at_asc: user_id = $1',
  'list_terminals_name_asc: user_id = $1',
  'list_terminals_name_desc: user_id = $1',
  'list_terminals_server_name_asc: user_id = $1',
  'list_terminals_server_name_desc: user_id = $1',
  'list_terminals_login_asc: user_id = $1',
  'list_terminals_login_desc: user_id = $1',
  'list_terminals_status_asc: user_id = $1',
  'list_terminals_status_desc: user_id = $1',
  'count_own_terminals: user_id = $1',
  'follow_clock: l.expires_at > now()',
  'promote_tasks: t.host_id = p.host_id',
  'list_stuck_destructions: t.host_id = tm.host_id',
];

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ config: { defaultPlatform: 'sandbox' } });
}, TIMEOUT_MS);
afterAll(() => server.close(), TIMEOUT_MS);

const isSeen = async (mutant: Mutant, expected: string): Promise<boolean> => {
  const scene = await createScene(server);
  return (await withMutant(mutant, () => observe(scene))) !== expected;
};

it(
  'no statement loses the condition of an owner, a fence or a time unseen',
  async () => {
    const expected = await observe(await createScene(server));
    expect(await observe(await createScene(server))).toBe(expected);
    const mutants = toMutants(listStatements());
    expect(mutants.length).toBeGreaterThan(30);
    const survivors: string[] = [];
    for (const mutant of mutants) if (!(await isSeen(mutant, expected))) survivors.push(mutant.name);
    process.stdout.write(`${mutants.length - survivors.length} of ${mutants.length} mutants were seen\n`);
    expect(survivors.filter((name) => !UNSEEN.includes(name))).toEqual([]);
  },
  TIMEOUT_MS,
);
