/** What speaks against a move of a terminal, and what comes in between. */
import { TaskType, TerminalStatus } from '@berth/contract';
import { useTestServer, type TestHost } from '@berth/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { createScene, TERMINALS } from './support/move-scene.ts';

const server = useTestServer({
  config: { defaultPlatform: 'sandbox' },
  without: ['moves of terminals', 'the scheduler', 'tidying'],
});
let operator: string;
beforeAll(async () => {
  operator = (await server.registerOperator()).token;
});

const { EA_LOGS, TERMINAL_DESTROY, TERMINAL_INSTALL, TERMINAL_STOP } = TaskType;
type Scene = Awaited<ReturnType<typeof createScene>>;
const withTarget = async () => {
  const scene = await createScene(server);
  return { ...scene, target: await scene.addHost() };
};
const begin = async () => {
  const scene = await withTarget();
  expect((await scene.move()).status).toBe(200);
  return scene;
};
const answerOf = async ({ move }: Pick<Scene, 'move'>, to?: object): Promise<[number, string, string]> => {
  const { status, body } = await move(to);
  const [field = '', texts = []] = Object.entries((body.errors ?? {}) as Record<string, string[]>)[0] ?? [];
  return [status, field || (body.code as string), texts[0] ?? (body.msg as string)];
};
const countSlots = (id: string) =>
  server.query('select terminal_count from hosts where id = $1', [id]).then(([row]) => row?.terminal_count as number);
const update = (text: string, id: string | number) => server.query(text, [id]);
const retire = async (host: TestHost) =>
  expect((await server.request('DELETE', `/v1/operator/hosts/${host.id}`, { token: operator })).status).toBe(200);

describe('a move is refused', () => {
  it.each([
    ['is stopped', TerminalStatus.STOPPED, 'Start it or log in first.'],
    ['is not logged in', TerminalStatus.LOGIN_FAILED, 'Log in with the right password first.'],
    ['is being installed', TerminalStatus.INSTALLING, 'Wait until it is installed.'],
    ['was not installed', TerminalStatus.FAILED, 'Delete it and create it again.'],
    ['is being deleted', TerminalStatus.DESTROYING, 'It is being deleted.'],
    ['is out of reach', TerminalStatus.UNREACHABLE, 'it may still run there'],
  ])('a terminal that %s is not moved, and the answer says what to do', async (_what, status, text) => {
    const scene = await withTarget();
    await server.query('update terminals set status = $2 where id = $1', [scene.id, status]);
    const [code, error, msg] = await answerOf(scene);
    expect([code, error]).toEqual([409, 'terminal_not_movable']);
    expect(msg).toContain(text);
    expect(await countSlots(scene.target.host.id)).toBe(0);
  });

  it('a terminal whose host is lost, that has no password, or is being moved is not moved', async () => {
    const scene = await withTarget();
    await update('update hosts set status = 2 where id = $1', scene.source.host.id);
    expect((await answerOf(scene))[2]).toContain('out of reach');
    await update('update hosts set status = 1 where id = $1', scene.source.host.id);
    const stored = await update('delete from terminal_secrets where terminal_id = $1 returning sealed', scene.id);
    expect((await answerOf(scene))[2]).toContain('Log in with the password first.');
    await server.query(`insert into terminal_secrets (terminal_id, field, sealed) values ($1, 'password', $2)`, [
      scene.id,
      stored[0]!.sealed,
    ]);
    const answers = await Promise.all([1, 2, 3].map(() => answerOf(scene)));
    expect(answers.map(([status]) => status).sort()).toEqual([200, 409, 409]);
    expect(await countSlots(scene.target.host.id)).toBe(1);
  });

  it('a terminal that is locked, or whose owner has stopped all trading, is not moved', async () => {
    const scene = await withTarget();
    await update(`update terminals set locked_reason = 'A rule.' where id = $1`, scene.id);
    expect((await answerOf(scene)).slice(0, 2)).toEqual([403, 'account_locked']);
    await update(`update terminals set locked_reason = null where id = $1`, scene.id);
    const { token } = scene.owner;
    expect((await server.request('POST', '/v1/my/trading/stop', { token })).body.ok).toBe(true);
    expect((await answerOf(scene))[2]).toContain('All algo trading is stopped. End that stop first.');
    await update(
      'update users u set suspended_at = s.started_at from trading_stops s where s.user_id = u.id and u.id = $1',
      scene.owner.user.id,
    );
    expect((await answerOf(scene))[2]).toMatch(/An administrator stopped all algo trading.* End that stop first\.$/);
  });

  it('a region that does not exist, is closed, is not for this user or has no other free host is refused by its field', async () => {
    const scene = await createScene(server);
    const { region } = scene;
    expect(await answerOf(scene, {})).toEqual([422, 'region', expect.stringContaining('required')]);
    expect(await answerOf(scene, { region, host_id: scene.source.host.id })).toEqual([
      422,
      'region',
      expect.any(String),
    ]);
    expect(await answerOf(scene, { region: 9_999 })).toEqual([422, 'region', 'The selected region is invalid.']);
    expect((await answerOf(scene))[2]).toContain('No other host of the region has a free slot');
    const full = await scene.addHost({ capacity: 1 });
    await update('update hosts set terminal_count = 1 where id = $1', full.host.id);
    expect((await answerOf(scene))[1]).toBe('region');
    await scene.addHost();
    await update('update regions set accepts_terminals = false where id = $1', region);
    expect((await answerOf(scene))[2]).toContain('does not accept');
    await update('update regions set accepts_terminals = true where id = $1', region);
    await update(`update users set region_ids = '{0}' where id = $1`, scene.owner.user.id);
    expect(await answerOf(scene)).toEqual([422, 'region', 'The selected region is invalid.']);
  });

  it('only operators name a host, and are told what is wrong with it; others learn nothing of hosts', async () => {
    const scene = await withTarget();
    const { source, target } = scene;
    const texts = [target.host.id, TERMINALS].map((host_id) => answerOf(scene, { host_id }));
    const [known, unknown] = await Promise.all(texts);
    expect(known).toEqual([422, 'host_id', 'Only operators choose a host. Choose a region.']);
    expect(unknown).toEqual(known);
    await update('update users set is_operator = true where id = $1', scene.owner.user.id);
    const textOf = async (host_id: string) => (await answerOf(scene, { host_id }))[2];
    expect(await textOf(TERMINALS)).toContain('invalid');
    expect(await textOf(scene.id)).toContain('invalid');
    expect(await textOf(source.host.id)).toContain('is on this host');
    for (const [change, text] of [
      ['status = 2', 'offline'],
      ['cordoned_at = now()', 'takes no terminals'],
      [`platforms = '{mt5}'`, 'runs no sandbox'],
      ['terminal_count = 100', 'no free slot'],
    ] as const) {
      await update(`update hosts set ${change} where id = $1`, target.host.id);
      expect(await textOf(target.host.id)).toContain(text);
      await update(
        `update hosts set status = 1, cordoned_at = null, platforms = '{sandbox}', terminal_count = 0 where id = $1`,
        target.host.id,
      );
    }
    await server.query('insert into left_terminals values ($1, $2)', [target.host.id, scene.id]);
    expect(await textOf(target.host.id)).toContain('still removes');
    await update('delete from left_terminals where terminal_id = $1', scene.id);
    expect((await answerOf(scene, { host_id: target.host.id }))[0]).toBe(200);
  });

  it('a terminal of another user is not found, wherever it should go', async () => {
    const scene = await withTarget();
    const { token } = await server.register('Stranger');
    const body = { region: scene.region };
    const { status } = await server.request('POST', `${TERMINALS}/${scene.id}/move`, { token, body });
    expect([status, (await scene.find()).move]).toEqual([404, null]);
  });
});

describe('in the middle of a move', () => {
  it.each([
    ['while it is being stopped', 0, 'source'],
    ['while no host has it', 1, 'source'],
    ['while it is being installed', 2, 'target'],
  ] as const)('a terminal that is deleted %s is gone from every host', async (_when, depth, last) => {
    const scene = await begin();
    const { id, source, target } = scene;
    if (depth > 0) await scene.work(source);
    if (depth > 1) await scene.step();
    expect((await scene.send('DELETE', '')).status).toBe(200);
    const box = last === 'source' ? source : target;
    while ((await scene.work(box)) !== undefined);
    await scene.step();
    expect(box.did.at(-1)).toBe(TERMINAL_DESTROY);
    const [row] = await server.query('select status, deleted_at from terminals where id = $1', [id]);
    expect([row?.status, row?.deleted_at !== null]).toEqual([TerminalStatus.DESTROYED, true]);
    const left = await server.query('select host_id from left_terminals where terminal_id = $1', [id]);
    expect(left).toEqual(last === 'source' ? [] : [{ host_id: source.host.id }]);
    expect([await countSlots(source.host.id), await countSlots(target.host.id)]).toEqual([0, 0]);
    expect(await server.query('select from terminal_moves where terminal_id = $1', [id])).toEqual([]);
  });

  it.each([1, 2, 3])(
    'a terminal that is deleted while servers carry on its move is gone from every host, try %d',
    async () => {
      const scene = await begin();
      const { id, source, target } = scene;
      await scene.work(source);
      const [deleted] = await Promise.all([scene.send('DELETE', ''), scene.goOn(), scene.goOn()]);
      expect(deleted.status).toBe(200);
      for (const box of [source, target]) while ((await scene.work(box)) !== undefined);
      expect([source.runs, target.runs, target.isThere]).toEqual([false, false, false]);
      const [row] = await server.query('select status from terminals where id = $1', [id]);
      expect(row?.status).toBe(TerminalStatus.DESTROYED);
      const left = await server.query('select host_id from left_terminals where terminal_id = $1', [id]);
      expect(left).toEqual(source.isThere ? [{ host_id: source.host.id }] : []);
      expect([await countSlots(source.host.id), await countSlots(target.host.id)]).toEqual([0, 0]);
    },
  );

  it('a terminal whose source is retired before it stopped waits for any host, and is not stopped there', async () => {
    const scene = await begin();
    const third = await scene.addHost();
    await retire(scene.source.host);
    const server_id = (await scene.find()).server_id as string;
    const box = [scene.target, third].find(({ host }) => host.id === server_id)!;
    while ((await scene.work(box)) !== undefined || (await scene.step()) > 0);
    expect(box.did).toEqual([TERMINAL_INSTALL]);
    expect((await countSlots(scene.target.host.id)) + (await countSlots(third.host.id))).toBe(1);
  });

  it('a terminal whose target is retired goes back to the source, with what waits for it', async () => {
    const scene = await begin();
    await scene.work(scene.source);
    await scene.step();
    await scene.open(EA_LOGS);
    await scene.target.host.claim(1, 0);
    await retire(scene.target.host);
    scene.boxes.splice(1);
    await scene.settle();
    expect(await scene.find()).toMatchObject({ server_id: scene.source.host.id, status: TerminalStatus.ACTIVE });
    expect([scene.source.runs, scene.source.did.includes(TERMINAL_INSTALL, 1), scene.source.did.at(-1)]).toEqual([
      true,
      false,
      EA_LOGS,
    ]);
  });

  it('a terminal whose target takes no terminals any more goes back without being installed there', async () => {
    const scene = await begin();
    await update('update hosts set cordoned_at = now() where id = $1', scene.target.host.id);
    await scene.settle();
    expect([scene.source.runs, scene.target.did]).toEqual([true, []]);
  });

  it('a terminal whose source is retired after it stopped goes on, and is made anew elsewhere if the target fails', async () => {
    const scene = await begin();
    await scene.work(scene.source);
    await retire(scene.source.host);
    scene.boxes.splice(0, 1);
    await scene.step();
    await scene.work(scene.target, () => 'failed');
    while ((await scene.work(scene.target)) !== undefined || (await scene.step()) > 0);
    expect(await scene.find()).toMatchObject({ server_id: null, status: TerminalStatus.PENDING, move: null });
    const [row] = await server.query('select waiting_since is not null as waits from terminals where id = $1', [
      scene.id,
    ]);
    expect([row?.waits, await countSlots(scene.target.host.id)]).toEqual([true, 0]);
  });

  it('a stop that its owner cancels ends the move, and the terminal runs on', async () => {
    const scene = await begin();
    const [task] = await server.query('select id from tasks where terminal_id = $1 and type = $2', [
      scene.id,
      TERMINAL_STOP,
    ]);
    expect((await scene.send('POST', `/tasks/${String(task?.id)}/cancel`)).body.ok).toBe(true);
    await scene.settle();
    expect([scene.source.did, (await scene.find()).move]).toEqual([[TERMINAL_INSTALL], null]);
    expect(await countSlots(scene.target.host.id)).toBe(0);
  });
});
