import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitFor } from '@berth/testing/wait-for';
import { toCandles, toPrice } from '../src/trading-server/market.ts';
import { SYMBOLS } from '../src/trading-server/symbols.ts';
import { Sandbox } from './sandbox.ts';

let sandbox: Sandbox;
let sockets: Socket[];
beforeEach(() => {
  sandbox = new Sandbox();
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await sandbox.close();
});

interface Client {
  answers: Record<string, unknown>[];
  isClosed: () => boolean;
  send: (text: string) => void;
}

const dial = (address: string): Client => {
  const [host, port] = address.split(':');
  const socket = connect({ host: host!, port: Number(port) });
  sockets.push(socket);
  const answers: Client['answers'] = [];
  let text = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    const lines = (text + chunk.toString()).split('\n');
    text = lines.pop() ?? '';
    answers.push(...lines.map((line) => JSON.parse(line) as Record<string, unknown>));
  });
  return { answers, isClosed: () => socket.closed, send: (line) => void socket.write(line) };
};

const login = async (address: string, password: string, server = 'S', name = '1'): Promise<Record<string, unknown>> => {
  const client = dial(address);
  client.send(`${JSON.stringify({ type: 'login', server, login: name, password })}\n`);
  await waitFor(() => client.answers.length > 0, { what: 'an answer' });
  return client.answers[0]!;
};

test('an account is created by its first login, and its password must match ever after, restarts included', async () => {
  const first = await sandbox.startServer();
  expect(await login(first.address, 'one')).toMatchObject({ type: 'welcome', server: 'S', investor: false });
  expect(await login(first.address, 'two')).toEqual({ type: 'refused', reason: 'Invalid account' });
  expect(await login(first.address, 'two', 'Another')).toMatchObject({ type: 'welcome' });
  await first.stop();
  appendFileSync(join(sandbox.folder, 'server/accounts.jsonl'), '{"server":"S","log');
  const second = await sandbox.startServer();
  expect(await login(second.address, 'two')).toMatchObject({ type: 'refused' });
  expect(await login(second.address, 'one')).toMatchObject({ type: 'welcome' });
  expect(await login(second.address, 'new', 'S', '2')).toMatchObject({ type: 'welcome' });
});

test('one of two first logins at the same moment decides the password', async () => {
  const { address } = await sandbox.startServer();
  const answers = await Promise.all([login(address, 'one'), login(address, 'two')]);
  expect(answers.map((answer) => answer.type).sort()).toEqual(['refused', 'welcome']);
});

test('passwords are kept as salted hashes in a file that nobody else reads', async () => {
  const { address } = await sandbox.startServer();
  await login(address, 'plain-text-password');
  const file = join(sandbox.folder, 'server/accounts.jsonl');
  expect(readFileSync(file, 'utf8')).not.toContain('plain-text-password');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a restarted server comes back where it was', async () => {
  const first = await sandbox.startServer();
  await first.stop();
  const second = await sandbox.startServer();
  expect(second.address).toBe(first.address);
  expect(readFileSync(sandbox.networkFile, 'utf8').trim()).toBe(second.address);
});

test('a server whose port is taken finds a free one', async () => {
  const first = await sandbox.startServer();
  const second = await sandbox.startServer({ BERTH_SANDBOX_DATA: join(sandbox.folder, 'other') });
  expect(second.address).not.toBe(first.address);
});

test('the server ends when its parent is gone', async () => {
  const server = await sandbox.startServer();
  server.child.disconnect();
  expect(await server.exit).toEqual({ code: 0, signal: null });
});

test.each([
  ['no JSON', 'hello\n'],
  ['no object', '[1]\n'],
  ['an unknown type', '{"type":"shutdown"}\n'],
  ['history before the login', '{"type":"history","id":1,"symbol":"EURUSD","minutes":1,"count":10}\n'],
  ['control characters', '{"type":"login","server":"a\\nb","login":"1","password":"p"}\n'],
  ['a number for a text', '{"type":"login","server":1,"login":"1","password":"p"}\n'],
  ['a line without end', 'x'.repeat(100_000)],
  ['a name that is too long', `{"type":"login","server":"${'x'.repeat(500)}","login":"1","password":"p"}\n`],
])('%s ends the connection and nothing else', async (_, text) => {
  const { address } = await sandbox.startServer();
  const client = dial(address);
  client.send(text);
  await waitFor(client.isClosed, { what: 'the end' });
  expect(client.answers).toEqual([]);
  expect(await login(address, 'p')).toMatchObject({ type: 'welcome' });
});

test('names of the prototype are names like any other', async () => {
  const { address } = await sandbox.startServer();
  expect(await login(address, 'p', '__proto__', 'constructor')).toMatchObject({ type: 'welcome', server: '__proto__' });
});

test('history is the same for everybody and bounded', async () => {
  const { address } = await sandbox.startServer();
  const client = dial(address);
  client.send('{"type":"login","server":"S","login":"1","password":"p"}\n');
  await waitFor(() => client.answers.length > 0, { what: 'the welcome' });
  client.send('{"type":"history","id":5,"symbol":"XAUUSD","minutes":60,"count":20}\n');
  await waitFor(() => client.answers.some(({ type }) => type === 'history'), { what: 'the history' });
  const candles = client.answers.at(-1)?.candles as number[][];
  const gold = SYMBOLS.find(({ name }) => name === 'XAUUSD')!;
  const now = Math.floor(Date.now() / 1000);
  expect(candles.slice(0, -1)).toContainEqual(toCandles(gold, 60, 10, now)[0]);
  client.send('{"type":"history","id":6,"symbol":"XAUUSD","minutes":60,"count":2000000}\n');
  await waitFor(client.isClosed, { what: 'the end' });
});

test('the walk gives one price for one moment, candles that join, and no price below zero', () => {
  const moment = Date.UTC(2026, 5, 1) / 1000;
  for (const symbol of SYMBOLS) {
    expect(toPrice(symbol, moment)).toBe(toPrice({ ...symbol }, moment));
    const candles = toCandles(symbol, 15, 50, moment + 100);
    candles.forEach(([time, open, high, low, close], index) => {
      expect(low).toBeGreaterThan(0);
      expect(low).toBeLessThanOrEqual(Math.min(open, close));
      expect(high).toBeGreaterThanOrEqual(Math.max(open, close));
      const next = candles[index + 1];
      if (next) expect([next[0] - time, next[1]]).toEqual([900, close]);
    });
  }
});

test('the walk rises about as often as it falls', () => {
  const [euro] = SYMBOLS;
  const start = Date.UTC(2026, 5, 1) / 1000;
  const moves = Array.from(
    { length: 600 },
    (_, index) => toPrice(euro!, start + index * 60) - toPrice(euro!, start + index * 60 - 60),
  );
  const rises = moves.filter((move) => move > 0).length;
  expect(rises).toBeGreaterThan(200);
  expect(rises).toBeLessThan(400);
});

test('missing settings are all named at once', async () => {
  await expect(sandbox.startServer({ BERTH_SANDBOX_DATA: '', BERTH_SANDBOX_NETWORK: '' })).rejects.toThrow(
    'did not start',
  );
  expect(existsSync(sandbox.networkFile)).toBe(false);
});
