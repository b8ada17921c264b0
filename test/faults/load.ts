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

/** Two experts of each terminal: one is installed and updated again and again, the other one comes and goes. */
export const LOAD_EXPERTS = { kept: 'Harbour', removed: 'Ferry' } as const;

/** The versions of a program, which take turns: a file that was not replaced, or replaced by an older attempt, shows. */
const PROGRAMS = ['one', 'two', 'three', 'four', 'five'].map((version) =>
  Buffer.from(`version ${version} of an expert`),
);

/** What a task is about: its terminal, its number in the load, and the ids of the uploaded programs. */
interface Order {
  terminal: LoadTerminal;
  number: number;
  programs: readonly string[];
}

const toProgram = ({ number, programs }: Order): string => programs[number % programs.length]!;

/** How each type is asked for. Every demo account has a trading server's name of its own, by which it is counted later. */
const orders: readonly ((order: Order) => readonly [TaskTypeName, object])[] = [
  (order) => [
    'EA_INSTALL',
    { name: LOAD_EXPERTS.kept, file_id: toProgram(order), symbol: 'EURUSD', period: 'H1', inputs: { Lots: 0.1 } },
  ],
  () => ['SCREENSHOT', { width: 320, height: 240 }],
  (order) => ['EA_INSTALL', { name: LOAD_EXPERTS.removed, file_id: toProgram(order), symbol: 'GBPUSD', period: 'M15' }],
  () => ['EA_LOGS', { source: 'journal', lines: 20 }],
  ({ number }) => ['OPTIONS_AUTO_TRADE', { allow_algo_trading: number % 2 }],
  (order) => ['EA_UPDATE', { name: LOAD_EXPERTS.kept, file_id: toProgram(order), inputs: { Lots: 0.2 } }],
  () => ['EA_LOGS', { source: 'experts', lines: 5 }],
  ({ terminal: { login, server_name } }) => ['ACCOUNT_LOGIN', { login, server_name, password: `pass-${login}` }],
  () => ['EA_REMOVE', { name: LOAD_EXPERTS.removed, delete_file: 1 }],
  () => ['SCREENSHOT_LATENCY', { width: 320, height: 240, samples: 1 }],
  () => ['MARKET_WATCH_SHOW_ALL', {}],
  ({ number }) => ['OPTIONS_WEB_REQUEST', { url: `https://host-${number % WEB_HOSTS}.example.com` }],
  () => ['ACCOUNT_OPEN_DEMO', { server_name: toDemoServer(), name: 'Ada Lovelace', email: 'ada@example.com' }],
];

/** So many tasks for each terminal are one of every order. */
export const LOAD_ORDERS = orders.length;

let demos = 0;
const toDemoServer = (): string => `Demo-${(demos += 1)}-${process.pid}`;

const RETRY_MS = 100;
const WORKERS = 8;

/** One attempt. @returns undefined when there was no answer, or one that says "later" */
const post = async (
  stack: TestStack,
  token: string,
  path: string,
  body: object | Buffer,
): Promise<string | undefined> => {
  const headers: Record<string, string> = Buffer.isBuffer(body) ? { 'content-type': 'application/octet-stream' } : {};
  const answer = await stack.request('POST', path, { token, body, headers }).catch(() => undefined);
  if (answer === undefined || answer.status === 503) return undefined;
  const { ok, data } = (answer.body ?? {}) as { ok?: boolean; data?: { id: string } };
  if (answer.status !== 200 || ok !== true || !data) {
    throw new Error(`${path} was answered ${answer.status}: ${answer.bytes.toString()}`);
  }
  return data.id;
};

/** Repeats it until it is answered. */
const postUntilAnswered = async (stack: TestStack, token: string, path: string, body: Buffer): Promise<string> => {
  for (;;) {
    const id = await post(stack, token, path, body);
    if (id !== undefined) return id;
    await delay(RETRY_MS);
  }
};

/** Ids of the programs that each user of a stack uploaded, once for all of their loads. */
const uploaded = new WeakMap<TestStack, Map<string, Promise<string[]>>>();

const uploadPrograms = (stack: TestStack, token: string): Promise<string[]> => {
  const ofStack = uploaded.get(stack) ?? new Map<string, Promise<string[]>>();
  uploaded.set(stack, ofStack);
  const toUpload = (program: Buffer, index: number) =>
    postUntilAnswered(stack, token, `/v1/my/files?name=version-${index + 1}.ex5`, program);
  const programs = ofStack.get(token) ?? Promise.all(PROGRAMS.map(toUpload));
  ofStack.set(token, programs);
  return programs;
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
    const programs = await uploadPrograms(stack, token);
    while (next < end) {
      const number = next++;
      const terminal = terminals[number % terminals.length]!;
      const toOrder = orders[Math.floor(number / terminals.length) % orders.length]!;
      for (let id: string | undefined; id === undefined;) {
        const [type, payload] = toOrder({ terminal, number, programs });
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
