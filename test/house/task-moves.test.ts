import { taskDoubleMoves, taskMoves } from '@berth/contract';
import { createTestDatabase, withClient } from '@berth/testing';
import { describe, expect, it } from 'vitest';

interface Row {
  from_status: number;
  to_status: number;
  step: number;
  step_from: number;
  step_to: number;
}

describe('the moves of a task', () => {
  it('are the same in the database as in the contract', async () => {
    const database = await createTestDatabase();
    const { rows } = await withClient(database.url, (client) => client.query<Row>('select * from task_moves'));
    await database.close();
    const direct = taskMoves.map(([from, to]) => [from, to, 1, from, to]);
    const double = taskDoubleMoves.flatMap(([from, via, to]) => [
      [from, to, 1, from, via],
      [from, to, 2, via, to],
    ]);
    const inDatabase = rows.map((row) => [row.from_status, row.to_status, row.step, row.step_from, row.step_to]);
    expect(inDatabase.map(String).sort()).toEqual([...direct, ...double].map(String).sort());
  });
});
