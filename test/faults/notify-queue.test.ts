/** What may happen to the notifications that live events are made of: many readers, a full queue, a crash of PostgreSQL. */
import { Berth } from '@berth/client';
import { EventReader, startTestStack, waitFor, withClient, type TestStack } from '@berth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const TIMEOUT_MS = 600_000;
const USERS = 10;
const STREAMS = 50;

let stack: TestStack;
let tokens: string[];

beforeAll(async () => {
  stack = await startTestStack({ isEmbedded: true, hasLocalHosts: false });
  // The smallest queue that there is: half a megabyte instead of eight gigabytes.
  await withClient(stack.databaseUrl, (client) => client.query('alter system set max_notify_queue_pages = 64'));
  stack.server.kill('SIGTERM');
  await stack.server.ended;
  await stack.restart();
  tokens = [];
  for (let number = 0; number < USERS; number += 1) tokens.push((await stack.register(`User ${number}`)).token);
}, TIMEOUT_MS);
afterAll(() => stack.close(), TIMEOUT_MS);

/** One that repeats nothing: what is done here works at the first attempt. */
const toClient = (token: string) => new Berth({ baseUrl: stack.url, token, maxRetries: 0 });

const createToken = (token: string) => toClient(token).account.tokens.create({ name: 'announced' });

/** Resolves when the reader hears of a change that is made now. */
const hear = async (reader: EventReader, token: string): Promise<void> => {
  const before = reader.dataOf('notification').length;
  await createToken(token);
  await waitFor(() => reader.dataOf('notification').length > before, { what: 'the event of a change' });
};

const open = async (token: string): Promise<EventReader> => {
  const reader = await EventReader.open(stack.url, token);
  await waitFor(() => reader.dataOf('ready').length === 1, { what: 'ready' });
  return reader;
};

describe('live events', { timeout: TIMEOUT_MS }, () => {
  it('live events reach five hundred readers of ten users, each those of their own', async () => {
    const readers = await Promise.all(
      tokens.map((token) => Promise.all(Array.from({ length: STREAMS }, () => open(token)))),
    );
    for (const token of tokens) await createToken(token);
    for (const own of readers) {
      await waitFor(() => own.every((reader) => reader.dataOf('notification').length === 1), { what: 'every event' });
      expect(new Set(own.map((reader) => JSON.stringify(reader.dataOf('notification')))).size).toBe(1);
    }
    for (const reader of readers.flat()) reader.close();
  });

  it('live events fail nobody’s work when PostgreSQL’s queue is full; readers reload, and it ends with its cause', async () => {
    const [token] = tokens as [string];
    const reader = await open(token);
    await withClient(stack.databaseUrl, async (stuck) => {
      await stuck.query('listen elsewhere');
      await stuck.query('begin');
      await stuck.query('select 1');
      const fill = `select pg_notify('elsewhere', n || repeat('x', 7000)) from generate_series(1, 10) as n`;
      await expect(
        withClient(stack.databaseUrl, async (client) => {
          for (let count = 0; count < 1_000; count += 1) await client.query(fill);
        }),
      ).rejects.toThrow('too many notifications in the NOTIFY queue');
      await createToken(token);
      const terminal = { server_name: 'Demo', login: '1', password: 'secret', region: 0 };
      await toClient(token).terminals.create(terminal);
      await waitFor(() => reader.dataOf('reset').length > 0, { what: 'the advice to read anew', timeoutMs: 120_000 });
      await stuck.query('rollback');
    });
    await hear(reader, token);
    reader.close();
  });

  it('live events go on after a crash of PostgreSQL, which forgets who watches', async () => {
    const [token] = tokens as [string];
    const reader = await open(token);
    const pid = await withClient(stack.databaseUrl, async (client) => {
      const { rows } = await client.query<{ pid: number }>(
        `select pid from pg_stat_activity where application_name = 'berth listener'`,
      );
      return rows[0]!.pid;
    });
    process.kill(pid, 'SIGKILL');
    await waitFor(() => reader.dataOf('reset').length > 0, { what: 'the advice to read anew', timeoutMs: 120_000 });
    await hear(reader, token);
    reader.close();
  });
});
