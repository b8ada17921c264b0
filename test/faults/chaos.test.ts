/** Faults that are no kills: a frozen agent, a foreign answer. script/soak mixes many more for hours. */
import { TaskStatus } from '@berth/contract';
import { waitFor } from '@berth/testing';
import { describe, expect, it } from 'vitest';
import { TIMEOUT_MS, useChaos } from './chaos-scene.ts';
import { expectNothingLost, waitUntilSettled } from './verdict.ts';

const { getScene, startTasks, settle } = useChaos();

describe('under load', { timeout: TIMEOUT_MS }, () => {
  it('an agent that is frozen past its leases is given up, and comes back without doing anything twice', async () => {
    const scene = getScene();
    const load = await startTasks();
    await waitFor(() => scene.countTasks(`status in (${TaskStatus.DELIVERED}, ${TaskStatus.RUNNING})`), {
      what: 'a task in hand',
    });
    await scene.freezePastLeases();
    scene.host.agent.kill('SIGCONT');
    await settle(load);
  });

  it('a proxy that answers reports with a bare 404 makes nobody forget or repeat what was done', async () => {
    const scene = getScene();
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
});
