/** The database holds the moves of a task that the contract knows, and writes their history where a statement does not. */
import { taskDoubleTransitions, taskTransitions, TaskStatus } from '@berth/contract';
import { createTestDatabase, withClient } from '@berth/testing';
import type { Client } from 'pg';
import { expect, it } from 'vitest';
import { listTrackedFiles, readText } from './repository.ts';

const statuses = Object.values(TaskStatus);
const pairs = statuses.flatMap((from) => statuses.filter((to) => to !== from).map((to) => [from, to] as const));

/** What the history of a task says after a bare update, one that knows nothing of histories; undefined where it is refused. */
const move = async (client: Client, from: TaskStatus, to: TaskStatus): Promise<string[] | undefined> => {
  const ended = (status: TaskStatus) => (status >= TaskStatus.COMPLETED ? 'now()' : 'null');
  await client.query('begin');
  try {
    await client.query(
      `insert into tasks (id, user_id, terminal_id, type, status, finished_at)
       values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 5, $1, ${ended(from)})`,
      [from],
    );
    await client.query(`update tasks set status = $1, finished_at = ${ended(to)}`, [to]);
    const { rows } = await client.query<{ step: string }>(
      `select coalesce(from_status::text, '-') || '>' || to_status as step from task_history order by id`,
    );
    return rows.map(({ step }) => step);
  } catch (error) {
    if ((error as { code?: string }).code !== '23514') throw error;
    return undefined;
  } finally {
    await client.query('rollback');
  }
};

const toSteps = (from: TaskStatus, to: TaskStatus): string[] | undefined => {
  const start = `->${from}`;
  if (taskTransitions.some(([a, b]) => a === from && b === to)) return [start, `${from}>${to}`];
  const double = taskDoubleTransitions.find(([a, , c]) => a === from && c === to);
  return double && [start, `${from}>${double[1]}`, `${double[1]}>${to}`];
};

it('the moves of a task are the same in the database as in the contract', async () => {
  const database = await createTestDatabase();
  const seen = await withClient(database.url, async (client) => {
    const found: (string[] | undefined)[] = [];
    for (const [from, to] of pairs) found.push(await move(client, from, to));
    return found;
  });
  await database.close();
  expect(seen).toEqual(pairs.map(([from, to]) => toSteps(from, to)));
});

it('the moves of a task are written by one file, as those of a terminal are', () => {
  const sources = listTrackedFiles().filter((path) => /^apps\/.+\/src\/.+\.ts$/.test(path));
  const listWriters = (table: string): string[] => {
    const writes = new RegExp(`\\b(?:update ${table}\\b[^\`]*?(?:set|,)\\s+status = |insert into ${table}\\b)`);
    return sources.filter((path) => writes.test(readText(path)));
  };
  expect(listWriters('tasks')).toEqual(['apps/server/src/tasks/transitions.ts']);
  expect(listWriters('terminals')).toEqual(['apps/server/src/terminals/transitions.ts']);
});
