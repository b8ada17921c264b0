/** More faults that are no kills: connections that hang or break, wrong clocks, a full disk, a restarted PostgreSQL. */
import { TaskStatus } from '@berth/contract';
import { waitFor } from '@berth/testing';
import { describe, expect, it } from 'vitest';
import { TASKS, TIMEOUT_MS, useChaos } from './chaos-scene.ts';
import { expectNothingLost, waitUntilSettled } from './verdict.ts';

const HOUR_MS = 3_600_000;

const { getScene, postTasks, startTasks, settle } = useChaos();

describe('under load', { timeout: TIMEOUT_MS }, () => {
  it('connections that are cut at the agent’s side alone, again and again, lose no turn', async () => {
    const scene = getScene();
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
    const scene = getScene();
    const load = await startTasks();
    await scene.stallUntilLost();
    scene.host.proxy.cutAll();
    scene.host.proxy.stall(false);
    await settle(load);
  });

  it('clocks of a host that are hours off, and step, cost no task', async () => {
    const scene = getScene();
    const load = await startTasks();
    const { id } = scene.terminals[0]!;
    for (const offsetMs of [HOUR_MS, -HOUR_MS, 30 * HOUR_MS, 0]) {
      scene.host.setClock(offsetMs);
      await scene.user.run(id, 'EA_LOGS', { source: 'journal', lines: 5 });
    }
    await settle(load);
  });

  it('a restart of PostgreSQL, orderly or at once, costs no task', async () => {
    const scene = getScene();
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

  it('connections that are cut in the middle of answers, and all at once, cost no task', async () => {
    const scene = getScene();
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

  it('a full disk of a host costs no task, and the host goes on once there is room', { tags: ['mount'] }, async () => {
    const scene = getScene();
    const { host } = scene;
    host.fillDisk();
    const load = await startTasks();
    const isRefused = () => host.agent.output.includes('the journal refused a delivery');
    await waitFor(isRefused, { what: 'a refusal of the journal' }).finally(() => host.clearDisk());
    await settle(load);
    expect(await scene.countTasks(`status = ${TaskStatus.COMPLETED}`)).toBeGreaterThan(0);
  });
});
