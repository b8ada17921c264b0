/** A proxy takes deliveries to the grave: the answers to claims that carried attempts. It must cost neither a lease nor an attempt. */
import { TaskStatus } from '@berth/contract';
import { endProcesses, waitFor } from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FarScene } from './far-scene.ts';

const TERMINALS = 3;
const ROUNDS = 3;
const TIMEOUT_MS = 600_000;

let scene: FarScene;
beforeAll(async () => {
  scene = await FarScene.start({ terminals: TERMINALS, timePercent: 20 });
}, TIMEOUT_MS);
afterAll(async () => {
  await scene.stop();
  await endProcesses();
}, TIMEOUT_MS);

it(
  'every task is done at its first attempt, though every other delivery is lost',
  { timeout: TIMEOUT_MS },
  async () => {
    const { host, user, terminals } = scene;
    let deliveries = 0;
    let swallowed = 0;
    host.proxy.swallowDeliveries(() => {
      deliveries += 1;
      if (deliveries % 2 === 0) return false;
      swallowed += 1;
      return true;
    });
    const before = await scene.countTasks('true');
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all(terminals.map(({ id }) => user.createTask(id, 'SCREENSHOT')));
      await waitFor(async () => (await scene.countTasks('finished_at is null')) === 0, { what: 'an end of the tasks' });
    }
    expect(swallowed).toBeGreaterThanOrEqual(ROUNDS);
    const rows = await scene.query<{ status: number; attempts: number; count: number }>(
      'select status, attempts, count(*)::int as count from tasks group by 1, 2',
    );
    expect(rows).toEqual([{ status: TaskStatus.COMPLETED, attempts: 1, count: before + TERMINALS * ROUNDS }]);
  },
);
