/** A load of tasks over terminals, posted by a client that does what a good one does: it repeats what was not answered. */
import { TaskType, type TaskTypeName } from '@berth/contract';
import type { TestStack } from '@berth/testing';
import { setTimeout as delay } from 'node:timers/promises';

export interface LoadTerminal {
  id: string;
  login: string;
  server_name: string;
}

export interface AcceptedTask {
  id: string;
  terminalId: string;
  type: TaskTypeName;
}

/** The list of a terminal must not grow without end. */
const WEB_HOSTS = 50;

/** How each type is asked for. Every demo account has a trading server's name of its own, by which it is counted later. */
const orders: readonly ((terminal: LoadTerminal, number: number) => readonly [TaskTypeName, object])[] = [
  () => ['SCREENSHOT', { width: 320, height: 240 }],
  () => ['EA_LOGS', { source: 'journal', lines: 20 }],
  (_, number) => ['OPTIONS_AUTO_TRADE', { allow_algo_trading: number % 2 }],
  () => ['EA_LOGS', { source: 'experts', lines: 5 }],
  ({ login, server_name }) => ['ACCOUNT_LOGIN', { login, server_name, password: `pass-${login}` }],
  () => ['SCREENSHOT_LATENCY', { width: 320, height: 240, samples: 1 }],
  () => ['MARKET_WATCH_SHOW_ALL', {}],
  (_, number) => ['OPTIONS_WEB_REQUEST', { url: `https://host-${number % WEB_HOSTS}.example.com` }],
  () => ['SCREENSHOT', { width: 400, height: 300 }],
  () => ['ACCOUNT_OPEN_DEMO', { server_name: toDemoServer(), name: 'Ada Lovelace', email: 'ada@example.com' }],
];

let demos = 0;
const toDemoServer = (): string => `Demo-${(demos += 1)}-${process.pid}`;

const RETRY_MS = 100;
const WORKERS = 8;

/** One attempt. @returns undefined when there was no answer, or one that says "later" */
const post = async (stack: TestStack, token: string, path: string, body: object): Promise<string | undefined> => {
  const answer = await stack.request('POST', path, { token, body }).catch(() => undefined);
  if (answer === undefined || answer.status === 503) return undefined;
  const { ok, data } = (answer.body ?? {}) as { ok?: boolean; data?: { id: string } };
  if (answer.status !== 200 || ok !== true || !data) {
    throw new Error(`a task was answered ${answer.status}: ${answer.bytes.toString()}`);
  }
  return data.id;
};

export interface LoadOptions {
  /** How many tasks; without it, until `stop` is called. */
  count?: number;
  /** How long each of the eight clients rests after a task was accepted. */
  pauseMs?: number;
}

export interface Load {
  /** Tasks that were answered with 200 so far. */
  readonly accepted: readonly AcceptedTask[];
  /** Begins no other task. */
  stop(): void;
  /** Resolves when every task was accepted. */
  done: Promise<void>;
}

/** Starts to post tasks, spread over the terminals. What gets no answer is posted again, as a new task. */
export const startLoad = (
  stack: TestStack,
  token: string,
  terminals: readonly LoadTerminal[],
  { count = Infinity, pauseMs = 0 }: LoadOptions,
): Load => {
  const accepted: AcceptedTask[] = [];
  let next = 0;
  let end = count;
  const work = async () => {
    while (next < end) {
      const number = next++;
      const terminal = terminals[number % terminals.length]!;
      const toOrder = orders[Math.floor(number / terminals.length) % orders.length]!;
      for (let id: string | undefined; id === undefined;) {
        const [type, payload] = toOrder(terminal, number);
        const path = `/v1/my/trading/terminals/${terminal.id}/tasks`;
        id = await post(stack, token, path, { type: TaskType[type], payload });
        if (id === undefined) await delay(RETRY_MS);
        else accepted.push({ id, terminalId: terminal.id, type });
      }
      if (pauseMs > 0) await delay(pauseMs);
    }
  };
  const done = Promise.all(Array.from({ length: WORKERS }, work)).then(() => undefined);
  done.catch(() => undefined);
  return { accepted, stop: () => void (end = 0), done };
};
