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

const BEHIND = 'another condition of the same request refuses first';
const ITSELF = "the scheduler's own order, in which no caller has a part";
const NOT_YET = 'no look reaches it yet';

/** Why nobody notices here. The list may only grow shorter. */
const UNSEEN = new Map([
  ['is_file_needed: user_id = $1', BEHIND],
  ['delete_file: user_id = $1', BEHIND],
  ['read_file_slice: user_id = $1', BEHIND],
  ['read_file_slice: expires_at > now() (2)', BEHIND],
  ['claim_tasks: tm.host_id = a.host_id', BEHIND],
  ['claim_tasks: t.host_id = a.host_id (2)', BEHIND],
  ['move_tasks: o.host_id = t.host_id', BEHIND],
  ['list_tasks: user_id = $2', BEHIND],
  ['list_tasks_by_seq: user_id = $2', BEHIND],
  ['count_tasks: user_id = $2', BEHIND],
  ['list_waiting_terminals: user_id = u.user_id', ITSELF],
  ['follow_clock: l.expires_at > now()', ITSELF],
  ['promote_tasks: t.host_id = p.host_id', ITSELF],
  ['list_stuck_destructions: t.host_id = tm.host_id', ITSELF],
  ['insert_notifications: n.user_id = t.user_id', 'the object that it tells of belongs to one user'],
  ['issue_reset_code: expires_at > now()', NOT_YET],
  ['take_reset_code_try: expires_at > now()', NOT_YET],
  ['count_tokens_by_kind: user_id = $1', NOT_YET],
  ['delete_stale_logins: user_id = $1', NOT_YET],
  ['find_storage: user_id = $1', NOT_YET],
  ['count_own_projects: user_id = $1', NOT_YET],
  ['release_tasks_of_host: host_id = $1', NOT_YET],
  ['delete_expired_tokens: user_id = $1', NOT_YET],
  ['find_terminal_on_account: user_id = t.user_id', NOT_YET],
  ['find_terminal_on_account: t.user_id = $1 (2)', NOT_YET],
]);

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ config: { defaultPlatform: 'sandbox', terminalLimits: new Map([[0, 2]]) } });
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
    expect(survivors.filter((name) => !UNSEEN.has(name))).toEqual([]);
  },
  TIMEOUT_MS,
);
