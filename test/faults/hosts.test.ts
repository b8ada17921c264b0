/** A host that joined by itself is retired by the operator. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Berth } from '@berth/client';
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
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { TerminalUser } from '../e2e/terminal-user.ts';

const TIMEOUT_MS = 600_000;
const SIZE = { width: 320, height: 240 };

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

it(
  'a host that the operator retires ends with its terminals, and they come up on another host of the region',
  async () => {
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
  },
  TIMEOUT_MS,
);
