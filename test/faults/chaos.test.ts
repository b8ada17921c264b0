/** Faults that are no kills: a frozen agent, cut connections, a full disk, wrong clocks, a restarted PostgreSQL. script/soak mixes them for hours. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  endProcesses,
  startTestStack,
  startTestTradingServer,
  waitFor,
  withClient,
  type SpawnedProcess,
  type TestStack,
} from '@berth/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TerminalUser } from '../e2e/terminal-user.ts';
import { FarHost } from './far-host.ts';
import { startLoad, type Load, type LoadTerminal } from './load.ts';
import { expectNothingLost, waitUntilSettled } from './verdict.ts';

const TERMINALS = 4;
/** A demo account for each terminal is among them: the one type that must not run twice. */
const TASKS = 10 * TERMINALS;
const TIMEOUT_MS = 240_000;
const HOUR_MS = 3_600_000;

let stack: TestStack;
let tradingServer: SpawnedProcess;
let host: FarHost;
let user: TerminalUser;
let terminals: LoadTerminal[];

const logInOperator = async (): Promise<string> => {
  const [, password] = await stack.server.waitForLine(/Password +(\S{12,})/);
  const body = { email: 'operator@berth.local', password };
  const answer = await stack.request('POST', '/v1/auth/login', { body });
  return answer.body.data.token as string;
};

beforeAll(async () => {
  const environment = { BERTH_DEFAULT_PLATFORM: 'sandbox' };
  stack = await startTestStack({ isEmbedded: true, hasLocalHosts: false, environment });
  const broker = join(stack.dataDir, 'sandbox');
  mkdirSync(broker);
  const networkFile = join(broker, 'network');
  tradingServer = startTestTradingServer(broker, networkFile);
  host = await FarHost.start({ stack, region: 0, token: await logInOperator(), networkFile }, 0);
  user = new TerminalUser(stack, (await stack.register('Far away')).token);
  const create = (number: number) =>
    user.createTerminal({
      server_name: 'Harbour-Demo',
      login: String(5000 + number),
      password: `pass-${5000 + number}`,
      region: 0,
    });
  terminals = await Promise.all(Array.from({ length: TERMINALS }, (_, number) => create(number)));
  await Promise.all(terminals.map(({ id }) => user.waitForStatus(id, 'ACTIVE')));
}, TIMEOUT_MS);

afterAll(async () => {
  await host.stop();
  tradingServer.kill('SIGTERM');
  await tradingServer.ended;
  await stack.close();
  await endProcesses();
}, TIMEOUT_MS);

beforeEach(({ onTestFailed }) =>
  onTestFailed(() => void process.stderr.write(stack.server.output + host.agent.output)),
);

const query = (text: string): Promise<{ count: number }[]> =>
  withClient(stack.databaseUrl, async (client) => (await client.query<{ count: number }>(text)).rows);

/** As if this long had passed for leases, without waiting for it. */
const ageLeases = (seconds: number, condition = 'true') =>
  query(`update task_leases set expires_at = expires_at - interval '${seconds} seconds' where ${condition}`);

/** A delivery whose answer was lost is repeated when its lease has lapsed, which takes 30 s. */
const ageUnstarted = () => ageLeases(30, 'task_id in (select id from tasks where status = 2)');

/** Starts a load; resolves when it is well under way. */
const startTasks = async (): Promise<Load> => {
  const load = startLoad(stack, user.token, terminals, TASKS);
  await waitFor(() => load.accepted.length >= TERMINALS, { what: 'tasks under way' });
  return load;
};

const settle = async (load: Load): Promise<void> => {
  await load.done;
  await ageUnstarted();
  await waitUntilSettled(stack);
  await expectNothingLost(stack, load.accepted);
};

const countTasks = async (condition: string): Promise<number> =>
  (await query(`select count(*)::int as count from tasks where ${condition}`))[0]!.count;

describe('under load', { timeout: TIMEOUT_MS }, () => {
  it('an agent that is frozen past its leases is given up, and comes back without doing anything twice', async () => {
    const load = await startTasks();
    await waitFor(() => countTasks('status in (2, 3)'), { what: 'a task in hand' });
    host.agent.kill('SIGSTOP');
    await waitFor(
      async () => {
        await ageLeases(10);
        await query(`update hosts set last_seen_at = last_seen_at - interval '10 seconds'`);
        const [row] = await query('select count(*)::int as count from hosts where status = 2');
        return row!.count === 1 && (await countTasks('status in (2, 3)')) === 0;
      },
      { what: 'an end of the leases' },
    );
    host.agent.kill('SIGCONT');
    await settle(load);
  });

  it('connections that are cut in the middle of answers, and all at once, cost no task', async () => {
    const before = host.proxy.cuts;
    const load = startLoad(stack, user.token, terminals, TASKS);
    host.proxy.cutAnswers(0.3);
    const isCut = async () => {
      await ageUnstarted();
      return host.proxy.cuts - before >= 8;
    };
    await waitFor(isCut, { what: 'some cuts' }).finally(() => host.proxy.cutAnswers(0));
    host.proxy.cutAll();
    await settle(load);
  });

  it('connections that stay open while nothing passes any more cost no task', async () => {
    const load = await startTasks();
    host.proxy.stall(true);
    await waitFor(
      async () => {
        await query(`update hosts set last_seen_at = last_seen_at - interval '10 seconds'`);
        return (await query('select count(*)::int as count from hosts where status = 2'))[0]!.count === 1;
      },
      { what: 'the loss of the host' },
    );
    host.proxy.cutAll();
    host.proxy.stall(false);
    await settle(load);
  });

  it('a full disk of a host costs no task, and the host goes on once there is room', async (context) => {
    if (!host.hasDisk) context.skip('a disk of its own takes root');
    host.fillDisk();
    const load = await startTasks();
    const isRefused = () => host.agent.output.includes('the journal refused a delivery');
    await waitFor(isRefused, { what: 'a refusal of the journal' }).finally(() => host.clearDisk());
    await settle(load);
    expect(await countTasks('status = 4')).toBeGreaterThan(0);
  });

  it('clocks of a host that are hours off, and step, cost no task', async () => {
    const load = await startTasks();
    for (const offsetMs of [HOUR_MS, -HOUR_MS, 30 * HOUR_MS, 0]) {
      host.setClock(offsetMs);
      await waitFor(async () => (await user.run(terminals[0]!.id, 'EA_LOGS', { source: 'journal', lines: 5 })).id);
    }
    await settle(load);
  });

  it('a restart of PostgreSQL, orderly or at once, costs no task', async () => {
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
