import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { listStackProcesses, spawnProcess, waitFor } from '@berth/testing/bench';
import { SERVER, stopProcess, type Bench } from '../bench.ts';
import type { Figures, Goal } from '../goal.ts';
import { readResidentMb } from '../process-usage.ts';
import { toMedian, toQuantile } from '../statistics.ts';
import { Wire } from '../wire.ts';

const TERMINALS = 20;
const IDLE_MS = 20_000;
const ACTIVE = 3;

interface Stack {
  dataDir: string;
  wire: Wire;
  stop: () => Promise<void>;
}

/** The whole of Berth as `script/server` starts it, and a user's connection. */
const startStack = async (bench: Bench): Promise<Stack> => {
  const dataDir = join(bench.folder, 'stack');
  const settings = {
    BERTH_PORT: '0',
    BERTH_DATA_DIR: dataDir,
    BERTH_RATE_LIMIT: 'off',
    BERTH_TERMINAL_LIMITS: '0=100',
  };
  const server = spawnProcess(process.execPath, [SERVER], { env: { ...process.env, ...settings } });
  const [, url = ''] = await server.waitForLine(/Berth is ready at (http\S+)/, { timeoutMs: 120_000 });
  const isOnline = async () => /status="online"\} 4\n/.test(await (await fetch(`${url}/metrics`)).text());
  await waitFor(isOnline, { what: 'four hosts online' });
  const guest = new Wire(url, 'none');
  const account = { name: 'Bench', email: 'bench@example.com', password: 'a long bench password' };
  const { data } = await guest.post<{ data: { token: string } }>('/v1/auth/register', account);
  guest.close();
  return { dataDir, wire: new Wire(url, data.token), stop: () => stopProcess(server) };
};

const createActive = async (wire: Wire, index: number): Promise<number> => {
  const from = performance.now();
  const body = { name: `bench ${index}`, server_name: 'Bench-Demo', login: `${70_000 + index}`, password: 'secret' };
  const { data } = await wire.post<{ data: { id: string } }>('/v1/my/trading/terminals', {
    ...body,
    region: index % 4,
  });
  for (;;) {
    const answer = await wire.request('GET', `/v1/my/trading/terminals/${data.id}`);
    const { data: terminal } = JSON.parse(answer.body) as { data: { status: number } };
    if (terminal.status === ACTIVE) return performance.now() - from;
    if (performance.now() - from > 60_000) throw new Error(`no terminal after a minute: ${answer.body}`);
    await delay(5);
  }
};

const toMemory = (dataDir: string, role: string, name: string): Figures => {
  const all = listStackProcesses(dataDir).filter((one) => one.role === role);
  return { [name]: toMedian(all.map(({ pid }) => readResidentMb(pid))) };
};

export const sandbox: Goal = {
  id: '8',
  title: 'Creation to ACTIVE on the sandbox, and (goal 9) resident memory when idle',
  measure: async (bench) => {
    const { dataDir, wire, stop } = await startStack(bench);
    await delay(IDLE_MS);
    const idle = { ...toMemory(dataDir, 'server', 'server MB'), ...toMemory(dataDir, 'agent', 'agent MB (4 hosts)') };
    const took: number[] = [];
    for (let index = 0; index < TERMINALS; index += 1) took.push(await createActive(wire, index));
    await delay(IDLE_MS);
    const figures = {
      'create → ACTIVE, median ms': toMedian(took),
      'create → ACTIVE, slowest ms': toQuantile(took, 1),
      ...idle,
      ...toMemory(dataDir, 'terminal', 'sandbox terminal MB'),
      ...toMemory(dataDir, 'server', 'server MB after the work'),
      ...toMemory(dataDir, 'agent', 'agent MB after the work, 20 terminals'),
    };
    wire.close();
    await stop();
    return [figures];
  },
  judge: (medians) => {
    const most = (what: string, name: string, goal: number, moonshot: number) =>
      ({ what, value: medians[name] ?? NaN, goal, moonshot, direction: 'most' }) as const;
    return [
      most('create → ACTIVE, ms', 'create → ACTIVE, median ms', 250, 150),
      most('server, idle, MB', 'server MB', 100, 90),
      most('agent, idle, MB', 'agent MB (4 hosts)', 50, 45),
      most('sandbox terminal, idle, MB', 'sandbox terminal MB', 40, 35),
    ];
  },
};
