/**
 * A server with a host that does what a flow says and nothing else: for what no simulated broker can be brought to do,
 * and for more terminals than a machine has room for. It reports every few seconds, like every host.
 */
import { startTestServer, TestHost, toStep, waitFor, type TestServer, type TestServerOptions } from '@berth/testing';
import {
  HEARTBEAT_MS,
  TaskType,
  TerminalStatus,
  type DeliveredTask,
  type TaskStep,
  type TaskTypeName,
} from '@berth/contract';
import { afterAll, beforeAll } from 'vitest';
import { PATIENCE_MS, useBrowser, type Flow, type FlowOptions } from './flow.ts';
import { createTerminal } from './terminals.ts';

/** Creations at the same time, and events in one report. */
const AT_ONCE = 20;
const MAX_CLAIMED = 100;
const CLAIM_MS = 2_000;

export interface SceneOptions {
  /** Terminals that the host takes. */
  capacity?: number;
  config?: TestServerOptions['config'];
}

export class HostScene {
  server!: TestServer;
  host!: TestHost;
  readonly #inHand = new Map<string, DeliveredTask>();
  #timer: NodeJS.Timeout | undefined;

  static async start(options?: SceneOptions): Promise<HostScene> {
    const scene = new HostScene();
    await scene.open(options);
    return scene;
  }

  async open({ capacity = 100, config = {} }: SceneOptions = {}): Promise<void> {
    this.server = await startTestServer({ config });
    this.host = await TestHost.enrol(this.server, { capacity, name: 'quay-1' });
    this.#timer = setInterval(() => void this.host.heartbeat([...this.#inHand.values()]), HEARTBEAT_MS);
  }

  /** Terminals of these names, installed and active. @returns their ids, in the order of the names */
  async createTerminals(token: string, names: readonly string[]): Promise<string[]> {
    const ids: string[] = [];
    for (let from = 0; from < names.length; from += AT_ONCE) {
      const some = names.slice(from, from + AT_ONCE);
      const made = some.map((name, index) => createTerminal(this.server, token, { name, login: `${from + index}` }));
      for (const { id } of await Promise.all(made)) ids.push(id);
    }
    await this.complete(await this.claim('TERMINAL_INSTALL', names.length), { path: '/terminals/one', build: 1 });
    const status = TerminalStatus.ACTIVE;
    await this.#report(ids.map((id) => ({ kind: 'terminal', terminal_id: id, status })));
    return ids;
  }

  /** Takes as many tasks as are expected, and says that they began. Another type of task fails the flow. */
  async claim(type: TaskTypeName, count = 1): Promise<DeliveredTask[]> {
    const tasks: DeliveredTask[] = [];
    const take = async (): Promise<boolean> => {
      tasks.push(...(await this.host.claim(Math.min(MAX_CLAIMED, count - tasks.length), CLAIM_MS)));
      return tasks.length === count;
    };
    await waitFor(take, { what: `${count} of ${type}`, timeoutMs: PATIENCE_MS });
    const others = tasks.filter((task) => task.type !== TaskType[type]);
    if (others.length > 0) throw new Error(`${type} was expected, not ${JSON.stringify(others[0])}`);
    for (const task of tasks) this.#inHand.set(task.id, task);
    await this.#report(tasks.map(({ id, fence }) => ({ kind: 'started', task_id: id, fence })));
    return tasks;
  }

  async complete(tasks: readonly DeliveredTask[], data: Record<string, unknown> = {}): Promise<void> {
    for (const { id } of tasks) this.#inHand.delete(id);
    const ends = tasks.map(async (task) => {
      const steps = [toStep({ data: { ...(await this.host.prove(task, data)), ...data } })];
      return { kind: 'completed' as const, task_id: task.id, fence: task.fence, steps };
    });
    await this.#report(await Promise.all(ends));
  }

  async fail(tasks: readonly DeliveredTask[], ...steps: Partial<TaskStep>[]): Promise<void> {
    const reported = steps.map((step) => toStep(step));
    for (const { id } of tasks) this.#inHand.delete(id);
    await this.#report(tasks.map(({ id, fence }) => ({ kind: 'failed', task_id: id, fence, steps: reported })));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.server?.close();
  }

  async #report(events: Parameters<TestHost['report']>[number][]): Promise<void> {
    for (let from = 0; from < events.length; from += AT_ONCE) {
      const verdicts = await this.host.report(...events.slice(from, from + AT_ONCE));
      if (verdicts.some((verdict) => verdict !== 'accepted')) throw new Error(`refused: ${verdicts.join()}`);
    }
  }
}

/** A scene for all flows of a file, which is there from the first `beforeAll` on, and a browser that looks at it. */
export const useHostScene = (options?: SceneOptions & FlowOptions): { scene: HostScene; flow: Flow } => {
  const scene = new HostScene();
  beforeAll(() => scene.open(options));
  afterAll(() => scene.close());
  return { scene, flow: useBrowser(() => scene.server.url, options) };
};
