/** A user cancels in the very moment in which a host claims: each task is one or the other, none is both, none is lost. */
import { TaskType } from '@berth/contract';
import { TestHost, toStep, useTestServer } from '@berth/testing';
import { expect, it } from 'vitest';
import { sql } from '../src/db/database.ts';

const TERMINALS = 20;
const ROUNDS = 50;

const server = useTestServer();

it('a thousand times, each task ends canceled or carried out', { timeout: 180_000 }, async () => {
  const { token } = await server.register('Hesitant');
  const host = await TestHost.enrol(server, { capacity: TERMINALS });
  const paths = await Promise.all(
    Array.from(
      { length: TERMINALS },
      async () => `/v1/my/trading/terminals/${await server.createTerminal(token)}/tasks`,
    ),
  );
  await host.installAll();
  const claimed = new Map<string, number>();
  const canceled = new Set<string>();
  const all: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const tasks = await Promise.all(
      paths.map(async (path) => {
        const created = await server.request('POST', path, { token, body: { type: TaskType.EA_LOGS } });
        return { path, id: created.body.data.id as string };
      }),
    );
    all.push(...tasks.map(({ id }) => id));
    const cancel = async ({ path, id }: (typeof tasks)[number]) => {
      if ((await server.request('POST', `${path}/${id}/cancel`, { token })).body.ok) canceled.add(id);
    };
    const claim = async () => {
      const got = await host.claim(TERMINALS, 0);
      for (const { id, fence } of got) claimed.set(id, fence);
    };
    await Promise.all([
      ...tasks.slice(0, TERMINALS / 2).map(cancel),
      claim(),
      ...tasks.slice(TERMINALS / 2).map(cancel),
    ]);
    const mine = tasks.flatMap(({ id }) => (claimed.has(id) ? [{ id, fence: claimed.get(id)! }] : []));
    const ends = mine.map(({ id, fence }) => ({
      kind: 'completed' as const,
      task_id: id,
      fence,
      steps: [toStep({ data: { lines: [] } })],
    }));
    if (ends.length > 0) await host.report(...ends);
  }
  expect([...claimed.keys()].filter((id) => canceled.has(id))).toEqual([]);
  const rows = await server.services.db.query<{ id: string; status: number }>(
    sql('test_ends', 'select id, status from tasks where id = any($1::uuid[])'),
    [all],
  );
  expect(rows).toHaveLength(TERMINALS * ROUNDS);
  for (const { id, status } of rows) expect([id, status]).toEqual([id, canceled.has(id) ? 6 : 4]);
  expect(claimed.size).toBeGreaterThan(0);
  expect(canceled.size).toBeGreaterThan(0);
});
