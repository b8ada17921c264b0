/** A host's measurements of its terminals and facts about itself, for a server that may be down. */
import { randomUUID } from 'node:crypto';
import { TaskType } from '@berth/contract';
import { waitFor } from '@berth/testing/wait-for';
import { describe, expect, test } from 'vitest';
import { toHostFacts, toMemoryCapacity } from '../src/host/facts.ts';
import { toCpuPercent } from '../src/host/loops/samples.ts';
import type { OfferDescription, TerminalLoad } from '../src/platforms/driver.ts';
import { useAgent, type AgentUnderTest } from './support/agent-under-test.ts';
import { SandboxHost } from './support/sandbox-host.ts';
import { aTerminal } from './support/tasks.ts';

const load: TerminalLoad = {
  link: 'up',
  pingMs: 12.34,
  memoryBytes: 104_857_600,
  cpuMs: 1_000,
  diskBytes: 10_485_760,
  build: 5836,
};
const sandboxOffer: OfferDescription = {
  platform: 'sandbox',
  launcher: 'process',
  isolation: 'none',
  terminalMemoryMb: 64,
  bases: [],
};

describe('an agent', () => {
  let host: AgentUnderTest;
  useAgent((agent) => (host = agent));

  const install = async (): Promise<string> => (await host.install(aTerminal(randomUUID()))).id;
  const waitForSample = (terminalId: string) =>
    waitFor(() => host.server.samples.findLast((batch) => batch.some((one) => one.terminal_id === terminalId)), {
      what: 'a sample',
    });

  test('an agent reports in one call what its terminals use, and leaves out those that hang or fail', async () => {
    const hanging = new Set<string>();
    const failing = new Set<string>();
    host.terminals.measure = async (id) => {
      if (hanging.has(id)) await new Promise(() => undefined);
      if (failing.has(id)) throw new Error('no such box');
      return load;
    };
    host.start();
    const ids = [await install(), await install(), await install(), await install()];
    await waitFor(() => host.server.samples.at(-1)?.length === 4, { what: 'a sample of each' });
    expect((await waitForSample(ids[0]!)).find((one) => one.terminal_id === ids[0])).toMatchObject({
      link: 'up',
      ping_ms: 12.3,
      memory_mb: 100,
      disk_mb: 10,
      build: 5836,
    });
    hanging.add(ids[0]!);
    failing.add(ids[1]!);
    await waitFor(
      () =>
        host.server.samples
          .at(-1)!
          .map((one) => one.terminal_id)
          .sort()
          .join() === [ids[2], ids[3]].sort().join(),
      { what: 'a round without the two', timeoutMs: 30_000 },
    );
  });

  test('queues nothing while the server refuses, and goes on afterwards', async () => {
    host.terminals.measure = async () => load;
    let refused = 0;
    host.server.inPlace = (call) => {
      if (call !== 'samples') return undefined;
      refused += 1;
      return { status: 503, code: 'unavailable', body: { ok: false, msg: 'Later.' } };
    };
    host.start();
    const id = await install();
    await waitFor(() => refused >= 5, { what: 'refusals' });
    host.server.inPlace = () => undefined;
    const batch = await waitForSample(id);
    expect([batch.length, host.server.samples[0]!.length]).toEqual([1, 1]);
  });

  test('an agent says what it offers when it enrols and begins a session, and with a heartbeat when that changes', async () => {
    host.terminals.offers = [sandboxOffer];
    host.start();
    await waitFor(() => host.server.heartbeats.length > 3, { what: 'heartbeats' });
    expect(host.server.facts.map(([call]) => call).slice(0, 2)).toEqual(['enrol', 'session']);
    expect(host.server.facts[0]![1].offers).toEqual([
      { platform: 'sandbox', launcher: 'process', isolation: 'none', bases: [] },
    ]);
    host.terminals.offers = [{ ...sandboxOffer, bases: [{ name: 'winter', build: 4_755, current: true }] }];
    await waitFor(
      () =>
        host.server.facts.some(([call, { offers }]) => call === 'heartbeat' && offers[0]?.bases[0]?.name === 'winter'),
      { what: 'the news' },
    );
  });
});

test('a terminal of the sandbox is found to be linked and to take memory, processor and disk; logged out, it is stopped on purpose', async () => {
  const host = new SandboxHost();
  await host.start();
  try {
    const terminal = await host.createTerminal();
    expect(await terminal.driver.measure?.()).toBeUndefined();
    await terminal.install();
    const seen = await waitFor(
      async () => {
        const found = await terminal.driver.measure?.();
        return found?.link === 'up' && found.diskBytes !== null ? found : undefined;
      },
      { what: 'everything measured' },
    );
    expect(seen.pingMs).toBeGreaterThanOrEqual(0);
    expect(seen.memoryBytes).toBeGreaterThan(5_000_000);
    expect(seen.memoryBytes).toBeLessThan(500_000_000);
    expect(seen.cpuMs).toBeGreaterThan(0);
    expect(seen.diskBytes).toBeGreaterThan(1_000);
    expect(seen.build).toBeGreaterThan(0);
    process.kill(await host.getPid(terminal), 'SIGKILL');
    await waitFor(async () => (await terminal.driver.measure?.())?.link === 'down', { what: 'its end' });
    await terminal.driver.restart();
    await terminal.run(TaskType.ACCOUNT_LOGOUT);
    expect(await terminal.driver.measure?.()).toMatchObject({
      link: 'stopped',
      pingMs: null,
      memoryBytes: null,
      build: null,
    });
  } finally {
    await host.close();
  }
});

test.each([
  [undefined, { cpuMs: 10, atMs: 10 }, null],
  [{ cpuMs: 10, atMs: 0 }, { cpuMs: 160, atMs: 15_000 }, 1],
  [{ cpuMs: 0, atMs: 0 }, { cpuMs: 30_000, atMs: 15_000 }, 200],
  [{ cpuMs: 10, atMs: 0 }, { cpuMs: 5, atMs: 15_000 }, null],
  [{ cpuMs: 10, atMs: 7 }, { cpuMs: 10, atMs: 7 }, null],
])('a share of the processor from %j to %j is %j', (before, now, expected) => {
  expect(toCpuPercent(before, now)).toBe(expected);
});

const wine: OfferDescription = { ...sandboxOffer, platform: 'mt5', launcher: 'wine', terminalMemoryMb: 1_024 };

test.each([
  [24_576, [wine], 1, 23],
  [24_576, [sandboxOffer], 1, 368],
  [24_576, [sandboxOffer], 4, 92],
  [24_576, [sandboxOffer, wine], 1, 23],
  [4_096, [wine], 1, 3],
  [1_024, [wine], 1, 0],
  [0, [sandboxOffer], 1, 0],
])('the places that memory has room for of %j MB for %j and %j hosts are %j', (totalMb, offers, hosts, expected) => {
  expect(toMemoryCapacity(totalMb, offers, hosts)).toBe(expected);
});

test('the places that memory has room for are said with names that the protocol can carry, whatever stands on the disk', () => {
  const bases = Array.from({ length: 200 }, (_, n) => ({
    name: `${n}\n${'x'.repeat(99)}`,
    build: NaN,
    current: n === 0,
  }));
  const machine = { memory: { totalMb: 1e12, availableMb: 1_000 }, disk: { totalMb: 5_000, availableMb: 2_100 } };
  const facts = toHostFacts({ ...machine, loadPercent: 57 }, [{ ...wine, launcher: '', bases }], 1);
  expect(facts).toMatchObject({ memory_total_mb: 67_108_864, memory_available_mb: 768, memory_capacity: 1_000_000 });
  expect(facts).toMatchObject({ disk_total_mb: 5_000, disk_available_mb: 2_048, load_percent: 60 });
  const [offer] = facts.offers;
  expect([offer!.launcher, offer!.bases.length, offer!.bases[0]!.build]).toEqual(['unknown', 50, null]);
  expect(offer!.bases.every(({ name }) => name.length <= 64 && !name.includes('\n'))).toBe(true);
});
