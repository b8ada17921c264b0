import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, findProcess } from '@berth/kit';
import { waitFor } from '@berth/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startLocalHost, type LocalHost } from '../src/local-host/local-host.ts';

/** What is tested here is the supervision, so the programs are small ones that write down what they were given. */
const recordingProgram = (file: string, onMessage = ''): string => `
  import { appendFileSync } from 'node:fs';
  const write = (line) => appendFileSync(${JSON.stringify(file)}, JSON.stringify(line) + '\\n');
  write({ pid: process.pid, env: process.env });
  process.on('message', (message) => { write({ message }); ${onMessage} });
  process.on('disconnect', () => process.exit(0));
`;

interface Written {
  pid?: number;
  env?: Record<string, string>;
  message?: { join_tokens?: Record<string, string>; stop?: string };
}

const log = createLogger({ name: 'test', level: 'silent' });
let folder: string;
let host: LocalHost | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-local-host-'));
});

afterEach(async () => {
  await host?.stop();
  host = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const agentLog = (): string => join(folder, 'agent.jsonl');
const tradingLog = (): string => join(folder, 'trading.jsonl');

const read = (file: string): Written[] => {
  try {
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Written);
  } catch {
    return [];
  }
};

const start = (onAgentMessage: string): LocalHost => {
  const programs = {
    agent: join(folder, 'agent.mjs'),
    tradingServer: join(folder, 'trading.mjs'),
    sandboxDist: folder,
  };
  writeFileSync(programs.agent, recordingProgram(agentLog(), onAgentMessage));
  writeFileSync(programs.tradingServer, recordingProgram(tradingLog()));
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  host = startLocalHost({
    dataDir,
    serverUrl: 'http://127.0.0.1:4000',
    hosts: [{ region: 0, name: 'local-0' }],
    joinTokens: { 'local-0': 'the-join-token' },
    programs,
    environment: { ...process.env, BERTH_SECRET_KEY: 'secret', BERTH_DATABASE_URL: 'secret', BERTH_LOG_LEVEL: 'warn' },
    log,
  });
  return host;
};

const STOPS_WHEN_ASKED = `if (message.stop === 'all') process.exit(0);`;
const agentMessages = (): Written['message'][] => read(agentLog()).flatMap(({ message }) => (message ? [message] : []));

test('the agent of the local host gets its settings by environment, its join tokens by message, and none of the server secrets', async () => {
  start(STOPS_WHEN_ASKED);
  await waitFor(() => agentMessages().length > 0);
  const env = read(agentLog())[0]!.env!;
  expect(env).toMatchObject({
    BERTH_SERVER_URL: 'http://127.0.0.1:4000',
    BERTH_AGENT_DIR: join(folder, 'data', 'agent'),
    BERTH_AGENT_HOSTS: '[{"region":0,"name":"local-0"}]',
    BERTH_SANDBOX_NETWORK: join(folder, 'data', 'sandbox', 'network'),
    BERTH_SANDBOX_DIST: folder,
    BERTH_LOG_LEVEL: 'warn',
  });
  expect(JSON.stringify(env)).not.toContain('the-join-token');
  expect(env).not.toHaveProperty('BERTH_SECRET_KEY');
  expect(env).not.toHaveProperty('BERTH_DATABASE_URL');
  expect(agentMessages()).toEqual([{ join_tokens: { 'local-0': 'the-join-token' } }]);
});

test('the agent of the local host is asked to stop the terminals before the trading server ends', async () => {
  const running = start(STOPS_WHEN_ASKED);
  const tradingServer = await waitFor(() => read(tradingLog())[0]?.pid);
  await waitFor(() => agentMessages().length > 0);
  const agent = findProcess(running.agentPid ?? 0);
  expect(agent).toBeDefined();
  await running.stop();
  expect(agentMessages()[1]).toEqual({ stop: 'all' });
  expect(findProcess(agent!.pid)).toBeUndefined();
  expect(findProcess(tradingServer)).toBeUndefined();
});

test('the agent of the local host that is killed is started again, and given its tokens again', async () => {
  const running = start(STOPS_WHEN_ASKED);
  const ends: string[] = [];
  running.onExit(({ name, signal }) => ends.push(`${name} ${signal}`));
  await waitFor(() => agentMessages().length === 1);
  process.kill(running.agentPid ?? 0, 'SIGKILL');
  await waitFor(() => agentMessages().length === 2);
  expect(ends).toEqual(['agent SIGKILL']);
});

test('the agent of the local host that is down when the server stops is started once more to stop the terminals', async () => {
  const running = start(`${STOPS_WHEN_ASKED} process.exit(1);`);
  const ends: string[] = [];
  running.onExit(({ name }) => ends.push(name));
  // It has no number either before its start is noted, however long ago its first lines were written.
  await waitFor(() => running.agentPid === undefined && ends.length > 0);
  await running.stop();
  expect(running.agentPid).toBeUndefined();
  const last = read(agentLog()).filter(({ pid }) => pid !== undefined).length;
  expect(last).toBeGreaterThanOrEqual(2);
});
