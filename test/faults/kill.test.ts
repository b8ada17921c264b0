/** kill -9 of every part while tasks run. Afterwards nothing is lost, stuck, or done twice. */
import { waitFor } from '@berth/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KillScene } from './kill-scene.ts';
import { countConnections, waitUntilSettled } from './verdict.ts';

const TERMINALS = 2;
const TIMEOUT_MS = 600_000;

let scene: KillScene;

beforeAll(async () => {
  scene = await KillScene.start(TERMINALS);
}, TIMEOUT_MS);

afterAll(() => scene.stop(), TIMEOUT_MS);

beforeEach(({ onTestFailed }) => onTestFailed(() => void process.stderr.write(scene.stack.server.output)));

/** Each terminal's process: which program runs in which folder since when. */
const listTerminalProcesses = (): string[] =>
  scene.stack
    .processes('terminal')
    .map(({ folder, pid, startTicks }) => `${folder} ${pid} ${startTicks}`)
    .sort();

describe('under load, kill -9', { timeout: TIMEOUT_MS }, () => {
  it('under load, kill -9 of the server costs no task and no terminal', async () => {
    const load = await scene.startTasks();
    await scene.killServer();
    await scene.settle(load);
  });

  it('under load, kill -9 of the agent costs no task', async () => {
    const load = await scene.startTasks();
    await scene.killAgent();
    await scene.settle(load);
  });

  it('under load, kill -9 of terminals costs no task, and they come back', async () => {
    const load = await scene.startTasks();
    const killed = scene.stack.processes('terminal').slice(0, TERMINALS);
    killed.forEach((each) => scene.kill(each));
    await scene.settle(load);
    const areBack = () => {
      const folders = new Set(scene.stack.processes('terminal').map(({ folder }) => folder));
      return killed.every(({ folder }) => folders.has(folder));
    };
    await waitFor(areBack, { what: 'the killed terminals' });
  });

  it('under load, kill -9 of the trading server costs no task and opens no demo account twice', async () => {
    const load = await scene.startTasks();
    await scene.killOne('trading server');
    await scene.settle(load);
  });

  it('under load, kill -9 of PostgreSQL costs no task, and the server lives on', async () => {
    const { pid } = scene.stack.server;
    const load = await scene.startTasks();
    await scene.killPostgres();
    await scene.settle(load);
    expect(scene.stack.processes('server').map((one) => one.pid)).toEqual([pid]);
    // Its long-lived connection came back, and once.
    const isBack = async () => (await countConnections(scene.stack, 'berth listener')) === 1;
    await waitFor(isBack, { what: 'the one connection that listens' });
  });
});

describe('with nothing to do, a terminal', { timeout: TIMEOUT_MS }, () => {
  const expectSame = async (strike: () => Promise<unknown>): Promise<void> => {
    const { stack, user, terminals } = scene;
    await stack.waitForHosts();
    await waitUntilSettled(stack);
    // One that was killed before may be on its way back, with no task that waits for it.
    await waitFor(() => listTerminalProcesses().length === TERMINALS, { what: 'a process for each terminal' });
    const before = listTerminalProcesses();
    await strike();
    await stack.waitForHosts();
    await user.run(terminals[0]!.id, 'SCREENSHOT', { width: 320, height: 240 });
    await waitUntilSettled(stack);
    expect(listTerminalProcesses()).toEqual(before);
  };

  it('outlives a kill -9 of the agent', () => expectSame(() => scene.killAgent()));
});
