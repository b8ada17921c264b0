/** A host far away, under load, on which faults fall that are no kills. */
import { endProcesses, waitFor } from '@berth/testing';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { FarScene } from './far-scene.ts';
import { LOAD_ORDERS, startLoad, type Load } from './load.ts';
import { expectNothingLost, waitUntilSettled } from './verdict.ts';

const TERMINALS = 2;
/** A demo account for each terminal is among them: the one type that must not run twice. */
const TASKS = LOAD_ORDERS * TERMINALS;
export const TIMEOUT_MS = 600_000;

/** For the tests of a file. */
export const useChaos = () => {
  let scene: FarScene;
  beforeAll(async () => {
    scene = await FarScene.start({ terminals: TERMINALS, timePercent: 20 });
  }, TIMEOUT_MS);
  afterAll(async () => {
    await scene.stop();
    await endProcesses();
  }, TIMEOUT_MS);
  beforeEach(({ onTestFailed }) =>
    onTestFailed(() => void process.stderr.write(scene.stack.server.output + scene.host.agent.output)),
  );
  const postTasks = (): Load => startLoad(scene.stack, scene.user.token, scene.terminals, { count: TASKS });
  return {
    getScene: () => scene,
    postTasks,
    /** Starts a load; resolves when it is well under way. */
    startTasks: async (): Promise<Load> => {
      const load = postTasks();
      await waitFor(() => load.accepted.length >= TERMINALS, { what: 'tasks under way' });
      return load;
    },
    settle: async (load: Load): Promise<void> => {
      await load.done;
      await scene.ageUnstarted();
      await waitUntilSettled(scene.stack);
      await expectNothingLost(scene.stack, load.accepted);
    },
  };
};
