/** The whole of Berth as `script/server` starts it, its users, and their terminals on the sandbox. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SandboxPhone, spawnProcess, waitFor } from '@berth/testing/bench';
import { SERVER, stopProcess, type Bench } from './bench.ts';
import { Wire } from './wire.ts';

const ACTIVE = 3;
const SERVER_NAME = 'Bench-Demo';
const PASSWORD = 'secret';

export interface Stack {
  dataDir: string;
  /** A new user's connection. */
  register: (name: string) => Promise<Wire>;
  stop: () => Promise<void>;
}

let stacks = 0;

/** Each is a new one: what another goal left would be restarted beside it. */
export const startStack = async (bench: Bench, others: Record<string, string> = {}): Promise<Stack> => {
  stacks += 1;
  const dataDir = join(bench.folder, `stack${stacks}`);
  const settings = {
    BERTH_PORT: '0',
    BERTH_DATA_DIR: dataDir,
    BERTH_RATE_LIMIT: 'off',
    BERTH_TERMINAL_LIMITS: '0=100',
  };
  const server = spawnProcess(process.execPath, [SERVER], { env: { ...process.env, ...settings, ...others } });
  const [, url = ''] = await server.waitForLine(/Berth is ready at (http\S+)/, { timeoutMs: 120_000 });
  const isOnline = async () => /status="online"\} 4\n/.test(await (await fetch(`${url}/metrics`)).text());
  await waitFor(isOnline, { what: 'four hosts online' });
  const register = async (name: string): Promise<Wire> => {
    const guest = new Wire(url, 'none');
    const account = { name: 'Bench', email: `${name}@example.com`, password: 'a long bench password' };
    const { data } = await guest.post<{ data: { token: string } }>('/v1/auth/register', account);
    guest.close();
    return new Wire(url, data.token);
  };
  return { dataDir, register, stop: () => stopProcess(server) };
};

/** Where the trading server of the stack's local hosts listens. */
export const findTradingServer = ({ dataDir }: Pick<Stack, 'dataDir'>): string =>
  readFileSync(join(dataDir, 'sandbox/network'), 'utf8').trim();

/** Who uses an account of `createActive` besides its terminal. */
export const openPhone = (stack: Pick<Stack, 'dataDir'>, login: string): Promise<SandboxPhone> =>
  SandboxPhone.logIn(findTradingServer(stack), { server: SERVER_NAME, login, password: PASSWORD });

/** Creates a terminal, and waits until it is active. @returns milliseconds */
export const createActive = async (wire: Wire, index: number): Promise<number> => {
  const from = performance.now();
  const account = { server_name: SERVER_NAME, login: `${70_000 + index}`, password: PASSWORD };
  const body = { name: `bench ${index}`, ...account };
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
