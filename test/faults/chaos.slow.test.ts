/** More faults that are no kills: connections that hang or break, a full disk. */
import { TaskStatus } from '@berth/contract';
import { waitFor } from '@berth/testing';
import { describe, expect, it } from 'vitest';
import { TIMEOUT_MS, useChaos } from './chaos-scene.ts';

const { getScene, postTasks, startTasks, settle } = useChaos();

describe('under load', { timeout: TIMEOUT_MS }, () => {
  it('connections that stay open while nothing passes any more cost no task', async () => {
    const scene = getScene();
    const load = await startTasks();
    await scene.stallUntilLost();
    scene.host.proxy.cutAll();
    scene.host.proxy.stall(false);
    await settle(load);
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
