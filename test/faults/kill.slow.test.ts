/** kill -9 of one part after the other while tasks run, at the usual times of an instance. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest';
import { KillScene } from './kill-scene.ts';

const TERMINALS = 6;
const ROUNDS = 2;
const MAX_PAUSE_MS = 1_500;
const TIMEOUT_MS = 600_000;

let scene: KillScene;

beforeAll(async () => {
  scene = await KillScene.start({ terminals: TERMINALS, timePercent: 100 });
}, TIMEOUT_MS);

afterAll(() => scene.stop(), TIMEOUT_MS);

beforeEach(({ onTestFailed }) => onTestFailed(() => void process.stderr.write(scene.stack.server.output)));

describe('under load, kill -9', { timeout: TIMEOUT_MS }, () => {
  it('under load, kill -9 of everything, again and again at any moment, loses nothing', async () => {
    const load = await scene.startTasks(2);
    const strikes = [
      () => scene.killOne('agent'),
      () => scene.killOne('terminal'),
      () => scene.killPostgres(),
      () => scene.killOne('trading server'),
      () => scene.killServer(),
    ];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const strike of strikes) {
        await strike();
        await delay(Math.random() * MAX_PAUSE_MS);
      }
    }
    await scene.settle(load);
  });

  it('under load, kill -9 of the trading server costs no task and opens no demo account twice', async () => {
    const load = await scene.startTasks();
    await scene.killOne('trading server');
    await scene.settle(load);
  });
});
