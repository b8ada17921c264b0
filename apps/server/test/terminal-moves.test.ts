/** Terminals that move to another host: each way that a move can take, with servers that die at each statement. */
import { TaskStatus, TaskType, TerminalStatus } from '@berth/contract';
import { useTestServer } from '@berth/testing';
import { describe, expect, it } from 'vitest';
import { createScene } from './support/move-scene.ts';

const server = useTestServer({
  config: { defaultPlatform: 'sandbox' },
  without: ['moves of terminals', 'the scheduler', 'tidying'],
});
const { EA_LOGS, OPTIONS_AUTO_TRADE, TERMINAL_DESTROY, TERMINAL_INSTALL, TERMINAL_START, TERMINAL_STOP } = TaskType;

const begin = async (changes: object = {}) => {
  const scene = await createScene(server, changes);
  const target = await scene.addHost();
  const { status, body } = await scene.move();
  expect([status, body.data.state, body.data.region]).toEqual([200, 'stopping', scene.region]);
  return { ...scene, target };
};

const countSlots = (id: string) =>
  server.query('select terminal_count from hosts where id = $1', [id]).then(([row]) => row?.terminal_count as number);

describe('a move', () => {
  it('a terminal moves wherever servers die: stopped first, installed and logged in on the target, and only then gone from the source', async () => {
    const scene = await begin();
    const { id, source, target, find, open } = scene;
    expect((await find()).move).toMatchObject({ state: 'stopping', reason: null });
    await open(EA_LOGS);
    expect(await scene.settle()).toBeGreaterThan(10);
    expect([source.did, target.did]).toEqual([
      [TERMINAL_INSTALL, TERMINAL_STOP],
      [TERMINAL_INSTALL, EA_LOGS],
    ]);
    expect(await find()).toMatchObject({ server_id: target.host.id, status: TerminalStatus.ACTIVE, move: null });
    expect(await server.query('select host_id from left_terminals where terminal_id = $1', [id])).toEqual([
      { host_id: source.host.id },
    ]);
    expect([await countSlots(source.host.id), await countSlots(target.host.id)]).toEqual([0, 1]);
    // What the source still says of it counts for nothing.
    expect(await scene.tell(source, TerminalStatus.STOPPED)).toEqual(['stale']);
  });

  it('a host is told what a terminal left there until it says that this is removed, and only then the terminal comes back', async () => {
    const { id, source, target, settle, move } = await begin();
    await settle();
    const beat = async ({ host }: typeof source, removed?: string[]) =>
      (await host.call('heartbeat', { tasks: [], ...(removed ? { removed } : {}) })).body.left as unknown;
    expect([await beat(target, [id]), await beat(source)]).toEqual([undefined, [id]]);
    expect((await move()).status).toBe(422);
    expect(await beat(source, [id])).toBeUndefined();
    expect((await move()).status).toBe(200);
  });

  it.each([
    ['its installation fails', 'failed', 'No room.'],
    ['it cannot log in', 'not logged in', 'within 60 minutes'],
  ] as const)('a terminal comes back to the source and starts as it was where %s', async (_why, outcome, reason) => {
    const scene = await begin();
    const { id, source, target } = scene;
    await scene.open(EA_LOGS);
    const toOutcome = (type: TaskType) => (type === TERMINAL_INSTALL ? outcome : 'done');
    await scene.settle({ target: toOutcome });
    if (outcome === 'not logged in') {
      await server.query(
        `update terminal_moves set phase_since = now() - interval '61 minutes' where terminal_id = $1`,
        [id],
      );
      await server.query(`update scheduler set last_run_at = now(), downtime_ended_at = now() - interval '1 hour'`);
      await scene.settle();
    }
    expect(target.did.at(-1)).toBe(TERMINAL_DESTROY);
    expect([source.runs, target.isThere]).toEqual([true, false]);
    expect(source.did).toEqual(expect.arrayContaining([TERMINAL_STOP, TERMINAL_START]));
    expect(await scene.find()).toMatchObject({ server_id: source.host.id, status: TerminalStatus.ACTIVE, move: null });
    expect([await countSlots(source.host.id), await countSlots(target.host.id)]).toEqual([1, 0]);
    const told = await server.query(
      `select data ->> 'reason' as reason from events where terminal_id = $1 and data ->> 'reason' like '%move%failed%'`,
      [id],
    );
    expect(told.map((row) => String(row.reason)).join()).toContain(reason);
    expect(await scene.statusOf(EA_LOGS)).toBe(TaskStatus.COMPLETED);
  });

  it('nothing goes on while the source does not say that the terminal is stopped', async () => {
    const scene = await begin();
    const { source, target } = scene;
    await scene.settle({ source: () => 'silent' });
    expect([source.did.at(-1), target.did]).toEqual([TERMINAL_STOP, []]);
    expect(await scene.find()).toMatchObject({ server_id: source.host.id, move: { state: 'stopping' } });
  });

  it('a terminal stays where it is and is started where its stop failed', async () => {
    const scene = await begin();
    const { source, target } = scene;
    await scene.settle({ source: (type) => (type === TERMINAL_STOP ? 'failed' : 'done') });
    expect([source.did, target.did]).toEqual([[TERMINAL_INSTALL, TERMINAL_STOP, TERMINAL_START], []]);
    expect([(await scene.find()).move, await countSlots(target.host.id)]).toEqual([null, 0]);
  });

  it('nothing is started on the source before the target has destroyed what it has', async () => {
    const scene = await begin();
    const { source, target } = scene;
    await scene.settle({
      target: (type) => (type === TERMINAL_INSTALL ? 'failed' : 'silent'),
    });
    expect([source.runs, target.did]).toEqual([false, [TERMINAL_INSTALL, TERMINAL_DESTROY]]);
    expect((await scene.find()).move).toMatchObject({ state: 'returning', reason: 'No room.' });
  });

  it('a move that fails holds up no other', async () => {
    const [one, other] = [await begin(), await begin()].sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const scene of [one!, other!]) await scene.work(scene.source);
    await server.query(
      `create function refuse_move() returns trigger language plpgsql as $$ begin raise 'planted'; end $$;
       create trigger refused before update on terminal_moves for each row when (new.terminal_id = '${one!.id}')
         execute function refuse_move()`,
    );
    await one!.goOn();
    await server.query('drop function refuse_move cascade');
    const phases = 'select phase from terminal_moves where terminal_id = any($1::uuid[]) order by terminal_id';
    const read = () => server.query(phases, [[one!.id, other!.id]]);
    expect(await read()).toEqual([{ phase: 'stopped' }, { phase: 'installing' }]);
    await one!.goOn();
    expect(await read()).toEqual([{ phase: 'installing' }, { phase: 'installing' }]);
  });

  it('a terminal that was to be stopped or locked during the move is not started again', async () => {
    const stopped = await begin();
    await stopped.work(stopped.source);
    await stopped.open(TERMINAL_STOP);
    await stopped.settle();
    expect([stopped.source.runs, stopped.target.did]).toEqual([false, []]);
    expect(await stopped.find()).toMatchObject({ server_id: stopped.source.host.id, move: null });
    const locked = await begin();
    await locked.work(locked.source);
    await server.query(`update terminals set locked_reason = 'A rule.' where id = $1`, [locked.id]);
    await locked.settle();
    expect([locked.source.runs, locked.target.did]).toEqual([false, []]);
    expect((await locked.find()).status).toBe(TerminalStatus.STOPPED);
  });

  it('algo trading that was switched off during the move stays off, wherever the terminal ends', async () => {
    const scene = await begin();
    await scene.work(scene.source);
    await scene.open(OPTIONS_AUTO_TRADE, { allow_algo_trading: 0 });
    await scene.settle({ target: (type) => (type === TERMINAL_INSTALL ? 'failed' : 'done') });
    expect([scene.source.runs, scene.target.isThere]).toEqual([false, false]);
    expect(await scene.find()).toMatchObject({ status: TerminalStatus.STOPPED, move: null });
  });
});
