/** Two hosts and a terminal that moves between them. Servers are killed at each statement of each transaction. */
import { TaskType, TerminalStatus, type DeliveredTask, type TaskStatus } from '@berth/contract';
import { TestHost, toProof, toStep, type TestServer } from '@berth/testing';
import { expect } from 'vitest';
import type { Store, Transaction } from '../../src/db/database.ts';
import { carryOnMoves, stepMove } from '../../src/deployment/moves.ts';
import { TaskReports } from '../../src/tasks/reports.ts';

const { TERMINAL_INSTALL, TERMINAL_DESTROY, TERMINAL_START, TERMINAL_STOP } = TaskType;
export const TERMINALS = '/v1/my/trading/terminals';

class Killed extends Error {}

/** A server that dies at a statement of its transaction, the first being 1, or else before the commit. */
const withDeathAt = (server: TestServer, statement: number) => {
  const transaction = <Result>(callback: (tx: Transaction) => Promise<Result>): Promise<Result> =>
    server.services.db.transaction(async (tx) => {
      let left = statement;
      const query: Transaction['query'] = (text, values) => {
        left -= 1;
        return left === 0 ? Promise.reject(new Killed()) : tx.query(text, values);
      };
      const result = await callback({ ...tx, query });
      // It got to the end, and dies there.
      if (left === 1) throw new Killed();
      return result;
    });
  const { db, ...services } = server.services;
  const store: Store = { transaction, query: db.query.bind(db), createWritePipeline: db.createWritePipeline.bind(db) };
  return { ...services, db: store };
};

/** Does it again and again, each time on a server that dies one statement later, until one does not. @returns the deaths */
export const dieEverywhere = async <Result>(
  server: TestServer,
  work: (services: ReturnType<typeof withDeathAt>) => Promise<Result>,
  read: () => Promise<unknown>,
): Promise<{ result: Result; deaths: number }> => {
  const before = await read();
  for (let statement = 1; ; statement += 1) {
    try {
      return { result: await work(withDeathAt(server, statement)), deaths: statement - 1 };
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      expect(await read()).toEqual(before);
    }
  }
};

export type Outcome = 'done' | 'failed' | 'not logged in' | 'silent';

/** What a host has of the terminal. */
export class Box {
  readonly host: TestHost;
  isThere = false;
  runs = false;
  readonly did: TaskType[] = [];

  constructor(host: TestHost) {
    this.host = host;
  }

  carryOut({ type }: DeliveredTask): void {
    this.did.push(type);
    if (type === TERMINAL_INSTALL) this.isThere = true;
    if (type === TERMINAL_DESTROY) this.isThere = false;
    if (type === TERMINAL_INSTALL || type === TERMINAL_START) this.runs = true;
    if (type === TERMINAL_DESTROY || type === TERMINAL_STOP) this.runs = false;
  }
}

/** An owner, and the terminal on the first of two hosts. */
export const createScene = async (server: TestServer, changes: object = {}) => {
  const region = await nextRegion(server);
  const boxes = [new Box(await TestHost.enrol(server, { region, name: 'source' }))];
  const owner = await server.register('Owner');
  const id = await server.createTerminal(owner.token, { region, ...changes });
  const [source] = boxes as [Box];
  const read = () =>
    server.query(
      `select (select to_jsonb(t) - 'updated_at' - 'synced_at' from terminals t where id = $1) as terminal,
         (select to_jsonb(m) from terminal_moves m where terminal_id = $1) as move,
         (select jsonb_agg(to_jsonb(o) - 'updated_at' order by o.id) from tasks o where terminal_id = $1) as tasks,
         (select jsonb_agg(jsonb_build_array(id, terminal_count) order by id) from hosts) as hosts,
         (select jsonb_agg(to_jsonb(l)) from left_terminals l where terminal_id = $1) as "left"`,
      [id],
    );
  const assertSafe = (): void => {
    expect(boxes.filter(({ runs }) => runs).length, 'never two run').toBeLessThan(2);
    expect(boxes.filter(({ isThere }) => isThere).length, 'one is always kept').toBeGreaterThan(0);
  };
  const send = (method: string, path: string, body?: unknown) =>
    server.request(method, `${TERMINALS}/${id}${path}`, { token: owner.token, body });
  const tell = (box: Box, status: TerminalStatus) =>
    box.host.report({ kind: 'terminal', terminal_id: id, status: status as never });
  /** The host does the next task, and says so to servers that die. @returns its type; undefined: there is none */
  const work = async (
    box: Box,
    toOutcome: (type: TaskType) => Outcome = () => 'done',
  ): Promise<TaskType | undefined> => {
    const [task] = await box.host.claim(1, 0);
    if (!task) return undefined;
    box.carryOut(task);
    const outcome = toOutcome(task.type);
    if (outcome === 'silent') return task.type;
    const key = { task_id: task.id, fence: task.fence, at: Date.now() };
    const steps = [toStep(outcome === 'failed' ? { ok: false, code: 'E_FILE', message: 'No room.' } : {})];
    if (outcome !== 'failed') steps[0]!.data = { ...toProof(task), ...(await box.host.prove(task)) };
    await box.host.report({ kind: 'started', task_id: task.id, fence: task.fence });
    const end = { ...key, kind: outcome === 'failed' ? 'failed' : 'completed', steps } as const;
    const { result } = await dieEverywhere(
      server,
      (services) => new TaskReports(services).add({ hostId: box.host.id, events: [end] }),
      read,
    );
    expect(result).toEqual(['accepted']);
    const isUp = task.type === TERMINAL_INSTALL || task.type === TERMINAL_START;
    if (isUp && outcome === 'done') await tell(box, TerminalStatus.ACTIVE);
    if (isUp && outcome === 'not logged in') await tell(box, TerminalStatus.LOGIN_FAILED);
    return task.type;
  };
  const step = async (): Promise<number> => {
    const { result, deaths } = await dieEverywhere(
      server,
      async (services) => services.db.transaction((tx) => stepMove(tx, services, id)),
      read,
    );
    return result ? deaths : 0;
  };
  /** Hosts and servers go on until nothing is left to do. @returns how often a server died */
  const settle = async (outcomes: Partial<Record<'source' | 'target', (type: TaskType) => Outcome>> = {}) => {
    let deaths = 0;
    for (let rounds = 0; rounds < 40; rounds += 1) {
      let isBusy = false;
      for (const [index, box] of boxes.entries()) {
        assertSafe();
        isBusy = (await work(box, index === 0 ? outcomes.source : outcomes.target)) !== undefined || isBusy;
      }
      assertSafe();
      const died = await step();
      deaths += died;
      if (!isBusy && died === 0) return deaths;
    }
    throw new Error('the move never comes to an end');
  };
  await work(source);
  return {
    ...{ id, owner, boxes, source, region, read, send, tell, work, step, settle, assertSafe },
    addHost: async (options: object = {}): Promise<Box> => {
      const box = new Box(await TestHost.enrol(server, { region, name: 'target', ...options }));
      boxes.push(box);
      return box;
    },
    move: (to: object = { region }) => send('POST', '/move', to),
    find: async () => (await send('GET', '?include=details')).body.data,
    tasks: async () =>
      server.query('select type, status, host_id, actor from tasks where terminal_id = $1 order by seq', [id]),
    goOn: () => carryOnMoves(server.services),
    open: async (type: TaskType, payload: object = {}) => send('POST', '/tasks', { type, payload }),
    statusOf: (type: TaskType): Promise<TaskStatus | undefined> =>
      server
        .query('select status from tasks where terminal_id = $1 and type = $2 order by created_at desc limit 1', [
          id,
          type,
        ])
        .then(([row]) => row?.status as TaskStatus | undefined),
  };
};

let regions = 100;
const nextRegion = async (server: TestServer): Promise<number> => {
  regions += 1;
  await server.query(`insert into regions (id, label, country) select $1, $2, country from regions limit 1`, [
    regions,
    `Region ${regions}`,
  ]);
  return regions;
};
