/** Hosts that joined by themselves: a server that is away, two agents with one identity, a host that the operator retires. */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Berth } from '@berth/client';
import { TaskStatus } from '@berth/contract';
import {
  endProcesses,
  logInOperator,
  startTestAgent,
  startTestStack,
  startTestTradingServer,
  waitFor,
  withClient,
  type SpawnedProcess,
  type TestStack,
} from '@berth/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TerminalUser } from '../e2e/terminal-user.ts';
import { freezeTerminal } from './frozen.ts';

const TIMEOUT_MS = 600_000;
const SIZE = { width: 320, height: 240 };
const DEMO = { server_name: 'Harbour-Demo', name: 'Ada Lovelace', email: 'ada@example.com' };

let stack: TestStack;
let operator: Berth['operator'];
let user: TerminalUser;
let terminalId: string;
let agent: SpawnedProcess;

const toDirectory = (name: string): string => join(stack.dataDir, 'agents', name);

const startAgent = (name: string, joinToken?: string): SpawnedProcess =>
  startTestAgent({
    serverUrl: stack.url,
    directory: toDirectory(name),
    networkFile: join(stack.dataDir, 'broker', 'network'),
    ...(joinToken === undefined ? {} : { joinToken }),
  });

const createJoinToken = async (name: string): Promise<string> =>
  (await operator.joinTokens.create({ region: 0, name })).join_token;

beforeAll(async () => {
  stack = await startTestStack({ hasLocalHosts: false, environment: { BERTH_DEFAULT_PLATFORM: 'sandbox' } });
  mkdirSync(join(stack.dataDir, 'broker'));
  startTestTradingServer(join(stack.dataDir, 'broker'), join(stack.dataDir, 'broker', 'network'));
  ({ operator } = (await logInOperator(stack)).berth);
  agent = startAgent('one', await createJoinToken('one'));
  await stack.waitForHosts(1);
  user = new TerminalUser(stack.url, (await stack.register('Hosts')).token);
  const input = { server_name: 'Harbour-Demo', login: '9001', password: 'pass-9001', region: 0 };
  terminalId = (await user.createTerminal(input)).id;
  await user.waitForStatus(terminalId, 'ACTIVE');
}, TIMEOUT_MS);

afterAll(async () => {
  await endProcesses();
  await stack.killTerminals();
  await stack.close();
}, TIMEOUT_MS);

beforeEach(({ onTestFailed }) => onTestFailed(() => void process.stderr.write(stack.server.output + agent.output)));

const query = (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
  withClient(stack.databaseUrl, async (client) => (await client.query(text, values)).rows);

const listTerminals = () => stack.processes('terminal').map(({ pid, folder }) => `${pid} ${folder}`);

/** As if this long had passed since anything was written, without waiting for it. */
const letTimePass = async (seconds: number): Promise<void> => {
  const ago = `interval '${seconds} seconds'`;
  await query(`update task_leases set expires_at = expires_at - ${ago}, deadline_at = deadline_at - ${ago}`);
  await query(`update hosts set last_seen_at = last_seen_at - ${ago}`);
  await query(`update scheduler set last_run_at = last_run_at - ${ago}`);
};

const waitForTicks = async (count: number): Promise<void> => {
  const seen = new Set<string>();
  const isDone = async () => {
    const [row] = await query('select last_run_at::text as at from scheduler');
    return seen.add(String(row?.at)).size > count;
  };
  await waitFor(isDone, { what: `${count} ticks of the scheduler` });
};

describe('a server that is away while a task runs', { timeout: TIMEOUT_MS }, () => {
  it('a server that is away while a task runs takes the report when it is back, and has given nothing up meanwhile', async () => {
    const before = listTerminals();
    const thaw = freezeTerminal(stack, (await user.getTerminal(terminalId)).path);
    // The agent gives this one a minute, in which the server comes back also on a slow machine.
    const taskId = await user.createTask(terminalId, 'ACCOUNT_OPEN_DEMO', DEMO);
    await waitFor(async () => (await user.getTask(terminalId, taskId)).status === TaskStatus.RUNNING, {
      what: 'the start',
    });
    stack.server.kill('SIGKILL');
    await stack.server.ended;
    await letTimePass(40);
    // The agent says nothing until the server has had the time to give up on it.
    agent.kill('SIGSTOP');
    await stack.restart();
    await waitForTicks(3);
    agent.kill('SIGCONT');
    thaw();
    expect(await user.waitForEnd(terminalId, taskId)).toMatchObject({ status: TaskStatus.COMPLETED, attempts: 1 });
    await user.waitForStatus(terminalId, 'ACTIVE');
    expect(listTerminals()).toEqual(before);
  });
});

describe('two agents with one identity', { timeout: TIMEOUT_MS }, () => {
  it('two agents with one identity are one too many: the older one ends, its terminals run on, and no task runs twice', async () => {
    const before = listTerminals();
    mkdirSync(join(toDirectory('twin'), 'host'), { recursive: true });
    const [from, to] = ['one', 'twin'].map((name) => join(toDirectory(name), 'host', 'credential.json'));
    cpSync(from!, to!);
    const twin = startAgent('twin');
    expect(await agent.ended).toEqual({ code: 1, signal: null });
    expect(agent.output).toContain('Another agent has taken over');
    expect(listTerminals()).toEqual(before);
    const task = await user.waitForEnd(terminalId, await user.createTask(terminalId, 'SCREENSHOT', SIZE));
    // The twin has the name only, not the terminal.
    expect(task).toMatchObject({ status: TaskStatus.FAILED, attempts: 1 });

    agent = startAgent('one');
    expect(await twin.ended).toEqual({ code: 1, signal: null });
    await user.waitForStatus(terminalId, 'ACTIVE');
    expect(await user.run(terminalId, 'SCREENSHOT', SIZE)).toMatchObject({ attempts: 1 });
    expect(listTerminals()).toEqual(before);
  });
});

describe('a host that the operator retires', { timeout: TIMEOUT_MS }, () => {
  it('a host that the operator retires ends with its terminals, and they come up on another host of the region', async () => {
    const [host] = (await query(`select id from hosts where name = 'one'`)) as { id: string }[];
    const second = startAgent('two', await createJoinToken('two'));
    await stack.waitForHosts(2);
    expect(await operator.hosts.retire(host!.id)).toBe(host!.id);
    expect(await agent.ended).toEqual({ code: 1, signal: null });
    expect(agent.output).toContain('The server does not know the credential');
    const isMoved = async () => {
      const { status_name, path } = await user.getTerminal(terminalId);
      return status_name === 'ACTIVE' && path?.startsWith(toDirectory('two'));
    };
    await waitFor(isMoved, { what: 'the terminal on the other host', timeoutMs: 120_000 });
    expect(stack.processes('terminal')).toHaveLength(1);
    await user.run(terminalId, 'SCREENSHOT', SIZE);

    second.kill('SIGTERM');
    expect(await second.ended).toEqual({ code: 0, signal: null });
    expect(stack.processes('terminal')).toHaveLength(1);
  });
});
