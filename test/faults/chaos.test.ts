/** Faults that are no kills: a frozen agent, cut connections, a full disk, wrong clocks, a restarted PostgreSQL. script/soak mixes them for hours. */
import { TaskStatus } from '@berth/contract';
import { endProcesses, waitFor } from '@berth/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FarScene } from './far-scene.ts';
import { LOAD_ORDERS, startLoad, type Load } from './load.ts';
import { expectNothingLost, waitUntilSettled } from './verdict.ts';

const TERMINALS = 2;
/** A demo account for each terminal is among them: the one type that must not run twice. */
const TASKS = LOAD_ORDERS * TERMINALS;
const TIMEOUT_MS = 600_000;
const HOUR_MS = 3_600_000;

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

/** Starts a load; resolves when it is well under way. */
const startTasks = async (): Promise<Load> => {
  const load = postTasks();
  await waitFor(() => load.accepted.length >= TERMINALS, { what: 'tasks under way' });
  return load;
};

const settle = async (load: Load): Promise<void> => {
  await load.done;
  await scene.ageUnstarted();
  await waitUntilSettled(scene.stack);
  await expectNothingLost(scene.stack, load.accepted);
};

describe('under load', { timeout: TIMEOUT_MS }, () => {
  it('an agent that is frozen past its leases is given up, and comes back without doing anything twice', async () => {
    const load = await startTasks();
    await waitFor(() => scene.countTasks(`status in (${TaskStatus.DELIVERED}, ${TaskStatus.RUNNING})`), {
      what: 'a task in hand',
    });
    await scene.freezePastLeases();
    scene.host.agent.kill('SIGCONT');
    await settle(load);
  });

  it('connections that are cut in the middle of answers, and all at once, cost no task', async () => {
    const { proxy } = scene.host;
    const before = proxy.cuts;
    const load = postTasks();
    proxy.cutAnswers(0.3);
    const isCut = async () => {
      await scene.ageUnstarted();
      return proxy.cuts - before >= 8;
    };
    await waitFor(isCut, { what: 'some cuts' }).finally(() => proxy.cutAnswers(0));
    proxy.cutAll();
    await settle(load);
  });

  it('a proxy that answers reports with a bare 404 makes nobody forget or repeat what was done', async () => {
    const { host, user, terminals } = scene;
    const { id } = terminals[0]!;
    host.proxy.answerInPlace(['/v1/agent/report'], 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
    const demo = { server_name: 'Demo-behind-a-portal', name: 'Ada Lovelace', email: 'ada@example.com' };
    const ids = [
      await user.createTask(id, 'OPTIONS_WEB_REQUEST', { url: 'https://portal.example.com' }),
      await user.createTask(terminals[1]!.id, 'ACCOUNT_OPEN_DEMO', demo),
    ];
    const isCarriedOut = () => host.countEnds(ids) === ids.length;
    await waitFor(isCarriedOut, { what: 'ends in the journal', timeoutMs: 120_000 });
    const before = host.proxy.strangers;
    await waitFor(() => host.proxy.strangers > before, { what: 'another foreign answer', timeoutMs: 120_000 });
    const under = await scene.query('select status from tasks where id = any($1)', [ids]);
    host.proxy.answerInPlace([]);
    expect(under).toEqual(ids.map(() => ({ status: TaskStatus.DELIVERED })));
    await waitUntilSettled(scene.stack);
    await expectNothingLost(
      scene.stack,
      ids.map((taskId) => ({ id: taskId })),
    );
    const rows = await scene.query('select status, attempts from tasks where id = any($1)', [ids]);
    expect(rows).toEqual(ids.map(() => ({ status: TaskStatus.COMPLETED, attempts: 1 })));
    const kept = `select s.terminal_id from terminal_secrets s join tasks t on t.terminal_id = s.terminal_id where t.id = $1`;
    expect(await scene.query(kept, [ids[1]])).toEqual([{ terminal_id: terminals[1]!.id }]);
  });

  it('connections that are cut at the agent’s side alone, again and again, lose no turn', async () => {
    const { proxy } = scene.host;
    proxy.cutClientsAfter(1_500);
    proxy.cutAll();
    const before = proxy.cuts;
    await waitFor(() => proxy.cuts - before >= 6, { what: 'some cuts' });
    const load = postTasks();
    await load.done;
    await waitUntilSettled(scene.stack).finally(() => proxy.cutClientsAfter(undefined));
    await expectNothingLost(scene.stack, load.accepted);
    const ids = load.accepted.map(({ id }) => id);
    const [row] = await scene.query<{ again: number }>(
      'select count(*)::int as again from tasks where attempts > 1 and id = any($1)',
      [ids],
    );
    // A cut may still meet the very moment of an answer.
    expect(row!.again).toBeLessThanOrEqual(TASKS / 10);
  });

  it('connections that stay open while nothing passes any more cost no task', async () => {
    const load = await startTasks();
    await scene.stallUntilLost();
    scene.host.proxy.cutAll();
    scene.host.proxy.stall(false);
    await settle(load);
  });

  it('a full disk of a host costs no task, and the host goes on once there is room', async (context) => {
    const { host } = scene;
    if (!host.hasDisk) context.skip('a disk of its own takes root');
    host.fillDisk();
    const load = await startTasks();
    const isRefused = () => host.agent.output.includes('the journal refused a delivery');
    await waitFor(isRefused, { what: 'a refusal of the journal' }).finally(() => host.clearDisk());
    await settle(load);
    expect(await scene.countTasks(`status = ${TaskStatus.COMPLETED}`)).toBeGreaterThan(0);
  });

  it('clocks of a host that are hours off, and step, cost no task', async () => {
    const load = await startTasks();
    const { id } = scene.terminals[0]!;
    for (const offsetMs of [HOUR_MS, -HOUR_MS, 30 * HOUR_MS, 0]) {
      scene.host.setClock(offsetMs);
      await scene.user.run(id, 'EA_LOGS', { source: 'journal', lines: 5 });
    }
    await settle(load);
  });

  it('a restart of PostgreSQL, orderly or at once, costs no task', async () => {
    const { stack } = scene;
    for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
      const load = await startTasks();
      const pid = await waitFor(() => stack.postmasterPid(), { what: 'a postmaster' });
      process.kill(pid, signal);
      await waitFor(() => stack.postmasterPid() !== pid, { what: 'the end of the postmaster' });
      await waitFor(() => stack.postmasterPid(), { what: 'a new postmaster' });
      await load.done;
      await waitUntilSettled(stack);
      await expectNothingLost(stack, load.accepted);
    }
  });
});
