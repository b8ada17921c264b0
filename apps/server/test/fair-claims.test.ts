/** A host's places go round among the users of its terminals, however much one of them has waiting. */
import { HostStatus, TaskStatus, TaskType, type DeliveredTask } from '@berth/contract';
import { patientTimes, TestHost, useTestServer } from '@berth/testing';
import { beforeEach, expect, it } from 'vitest';

const server = useTestServer({
  config: { defaultPlatform: 'sandbox', times: { ...patientTimes, tickMs: 10 * 60_000 } },
});
let host: TestHost;
// Without the scheduler's turns: a task that it moves at this very moment is left out of a claim, and has one move more.
beforeEach(async () => {
  await server.query(`update hosts set status = ${HostStatus.RETIRED}, session_id = null`);
  host = await TestHost.enrol(server);
});

interface Owner {
  name: string;
  terminals: string[];
  /** So many tasks of each of the terminals, one terminal after the other. */
  order: (count: number) => Promise<unknown>;
}

const createOwner = async (name: string, terminals: number): Promise<Owner> => {
  const { token, user } = await server.register(name);
  const ids: string[] = [];
  for (let number = 0; number < terminals; number += 1) {
    ids.push(await server.createTerminal(token, { login: String(number) }));
  }
  await host.installAll();
  const order = (count: number) =>
    server.query(
      `insert into tasks (id, user_id, host_id, terminal_id, type)
       select gen_random_uuid(), $1, $2, id, ${TaskType.EA_LOGS}
       from unnest($3::uuid[]) as t (id) cross join generate_series(1, $4) as n order by id, n`,
      [user.id, host.id, ids, count],
    );
  return { name, terminals: ids, order };
};

/** Whose tasks they are. */
const toNames = (tasks: readonly DeliveredTask[], owners: readonly Owner[]): string[] =>
  tasks.map(({ terminal }) => owners.find(({ terminals }) => terminals.includes(terminal.id))!.name);

/** A host with one place: it claims a task, carries it out, and claims the next one. */
const serveOneByOne = async (count: number): Promise<DeliveredTask[]> => {
  const served: DeliveredTask[] = [];
  while (served.length < count) {
    for (const task of await host.claim(1)) {
      await host.complete(task);
      served.push(task);
    }
  }
  return served;
};

it('one with thousands of open tasks holds up another by one task at the most, on a host with one place', async () => {
  const bulk = await createOwner('bulk', 20);
  const other = await createOwner('other', 2);
  await bulk.order(250);
  await serveOneByOne(3);
  await other.order(3);
  const names = toNames(await serveOneByOne(12), [bulk, other]);
  expect(names.join(' ')).toMatch(/^(bulk )?(other bulk ){5}other( bulk)?$/);
  expect(toNames(await serveOneByOne(3), [bulk, other])).toEqual(['bulk', 'bulk', 'bulk']);
});

it('three of them take turns, and each is served the same', async () => {
  const owners = [await createOwner('Ada', 3), await createOwner('Ben', 1), await createOwner('Cem', 2)];
  for (const owner of owners) await owner.order(30);
  const names = toNames(await serveOneByOne(30), owners);
  for (let at = 0; at < 30; at += 3) expect(new Set(names.slice(at, at + 3)).size).toBe(3);
});

it('a free slot goes to the user with the fewest running tasks', async () => {
  const bulk = await createOwner('bulk', 12);
  const other = await createOwner('other', 5);
  await bulk.order(100);
  const first = await host.claim(8);
  expect(toNames(first, [bulk, other])).toEqual(Array(8).fill('bulk'));
  await other.order(1);
  const free = first.slice(0, 4);
  for (const task of free) await host.complete(task);
  // Four against none, then four against four: the last place is the first of the next turn.
  expect(toNames(await host.claim(4), [bulk, other])).toEqual(Array(4).fill('other'));
  expect(new Set(toNames(await host.claim(2), [bulk, other]))).toEqual(new Set(['bulk', 'other']));
});

it('a claim of many places is shared out evenly, and what one does not need goes to the other', async () => {
  const bulk = await createOwner('bulk', 30);
  const other = await createOwner('other', 6);
  await bulk.order(50);
  await other.order(1);
  const count = (names: string[], name: string) => names.filter((each) => each === name).length;
  const names = toNames(await host.claim(8), [bulk, other]);
  expect([count(names, 'bulk'), count(names, 'other')]).toEqual([4, 4]);
  const rest = toNames(await host.claim(8), [bulk, other]);
  expect([count(rest, 'bulk'), count(rest, 'other')]).toEqual([6, 2]);
});

it('the tasks of a terminal keep their order, and of one user the oldest go first', async () => {
  const bulk = await createOwner('bulk', 4);
  const other = await createOwner('other', 1);
  await bulk.order(5);
  await other.order(5);
  const served = await serveOneByOne(25);
  const seqs = await server.query(`select id, seq::int from tasks where id = any($1::uuid[]) order by seq`, [
    served.map(({ id }) => id),
  ]);
  const order = new Map(seqs.map(({ id, seq }) => [id as string, seq as number]));
  for (const owner of [bulk, other]) {
    const own = served.filter(({ terminal }) => owner.terminals.includes(terminal.id)).map(({ id }) => order.get(id)!);
    expect(own).toEqual([...own].sort((a, b) => a - b));
  }
  expect(
    await server.query(`select 1 from tasks where host_id = $1 and status < ${TaskStatus.COMPLETED}`, [host.id]),
  ).toEqual([]);
});
