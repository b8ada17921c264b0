/**
 * Input made from every route's schemas, right, nearly right and hostile: never a 500, never silence, always JSON; what is
 * refused changes nothing; and nothing that one user or host sends touches another one's objects.
 */
import { farAhead, SCHEDULER_LOCK, type TestHost } from '@berth/testing';
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { TaskType, type RouteContract } from '@berth/contract';
import fc, { type Arbitrary } from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import { testSeed } from '../../seed.ts';
import { createDescription, expectDescribed } from './described.ts';
import { exchange, type Exchange, type Outgoing } from './exchange.ts';
import {
  hostileText,
  hostileValue,
  jsonType,
  mangle,
  oddHeaders,
  toObject,
  toText,
  type Overrides,
} from './hostile.ts';
import { createSnapshots, takeUserSnapshot } from './snapshot.ts';
import { call, createActiveTerminal, createTask, createWorld, enrolHost } from './world.ts';
import type { Account, World } from './world.ts';

const FIRST_SEED = 20260130;

export let world: World;
export let attacker: Account;
export let attackingHost: TestHost;
export let own: { terminalId: string; taskId: string; heldTaskId: string; fileId: string };
/** Of the attacker: everything but `delete`, so that its own objects last. */
export let token: string;
let listFlaws: ReturnType<typeof createDescription>;
let takeSnapshot: () => Promise<string>;
let locker: pg.Client;
const agent = new Agent({ keepAlive: true });

const open = async (): Promise<void> => {
  // No loops, and the scheduler only until everything is placed: what changes, a request has changed.
  world = await createWorld({ without: ['runs of tasks', 'schedules', 'webhooks', 'alerts', 'messages', 'news'] });
  const { server, operator } = world;
  locker = new pg.Client({ connectionString: server.databaseUrl });
  await locker.connect();
  await locker.query(`select pg_advisory_lock(${SCHEDULER_LOCK})`);
  attacker = await server.register('Attacker');
  attackingHost = await enrolHost(server, operator, 1);
  const terminalId = await createActiveTerminal(server, attacker.token, attackingHost, 1);
  const headers = { 'content-type': 'application/octet-stream' };
  const upload = { token: attacker.token, body: Buffer.from('x'), headers };
  const fileId = (await server.request('POST', '/v1/my/files?name=x', upload)).body.data.id;
  const heldTaskId = await createTask(server, attacker.token, terminalId, { type: TaskType.MARKET_WATCH_SHOW_ALL });
  await attackingHost.claim(1, 0);
  const taskId = await createTask(server, attacker.token, terminalId, {
    type: TaskType.SCREENSHOT,
    planned_at: farAhead,
  });
  own = { terminalId, taskId, heldTaskId, fileId };
  const body = { name: 'fuzz', abilities: ['read', 'write'] };
  token = (await call(server, attacker.token, 'POST', '/v1/my/account/tokens', body)).data.token;
  takeSnapshot = await createSnapshots(server);
  listFlaws = createDescription((await server.request('GET', '/openapi.json')).body as object);
};

const close = async (): Promise<void> => {
  agent.destroy();
  await locker.end();
  await world.server.close();
};

/** Gives the file a server with two users and their hosts, of whom one attacks. */
export const useWorld = (): void => {
  beforeAll(open);
  afterAll(close);
};

/** Ids of the attacker, of the victim, of nobody, and what is none. */
export const id = (mine: () => string | number, theirs: () => string | number): Arbitrary<unknown> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(null).map(mine) },
    { weight: 4, arbitrary: fc.constant(null).map(theirs) },
    { weight: 1, arbitrary: fc.uuid() },
    { weight: 1, arbitrary: hostileText },
  );

const nobody = () => randomUUID();
export const ids: Overrides = {
  terminal_id: id(
    () => own.terminalId,
    () => world.terminalId,
  ),
  task_id: id(
    () => own.taskId,
    () => world.taskId,
  ),
  token_id: id(
    () => '999999',
    () => world.tokenId,
  ),
  notification_id: id(nobody, () => world.notificationId),
  file_id: id(
    () => own.fileId,
    () => world.fileId,
  ),
  project_id: id(nobody, () => '0'),
  default_project_id: id(nobody, nobody),
  host_id: id(nobody, nobody),
  region: fc.integer({ min: -1, max: 4 }),
  email: fc.nat().map((n) => `nobody.${n}@example.com`),
  inputs: fc.oneof(fc.constant({ Lots: 0.1, Text: 'a', On: true }), fc.dictionary(hostileText, hostileValue)),
};

/** As a path segment: percent-encoded, or now and then not decodable at all. */
const toSegment = (value: unknown): string =>
  typeof value === 'string' && value.length % 7 === 6 ? '%ff' : encodeURIComponent(String(value).toWellFormed());

const pathOf = (route: RouteContract, overrides: Overrides): Arbitrary<string> => {
  const names = [...route.url.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
  const values = fc.tuple(...names.map((name) => overrides[name] ?? hostileText));
  return values.map((filled) =>
    names.reduce((url, name, index) => url.replace(`:${name}`, toSegment(filled[index]).slice(0, 9000)), route.url),
  );
};

const queryOf = (route: RouteContract, overrides: Overrides): Arbitrary<string> =>
  fc.tuple(route.query ? toObject(route.query, overrides) : fc.constant({}), fc.nat(20)).map(([query, dice]) => {
    const pairs = Object.entries(query).map(([name, value]) => {
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
      return `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(text.toWellFormed().slice(0, 1000))}`;
    });
    if (dice === 0) pairs.push('page=%ff%fe', '&&=&%', '__proto__=1');
    if (dice === 1) pairs.push(...pairs);
    const text = pairs.join('&').slice(0, 9000);
    return text === '' ? '' : `?${text}`;
  });

const bodyOf = (route: RouteContract, body: Arbitrary<unknown> | undefined): Arbitrary<Buffer | undefined> => {
  if (route.method === 'GET') return fc.constant(undefined);
  if (route.isRawBody)
    return fc.option(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      { nil: undefined },
    );
  return fc.tuple(body ?? fc.constant({}), mangle).map(([value, change]) => change(toText(value)));
};

interface Source {
  route: RouteContract;
  token: () => string;
  overrides?: Overrides;
  body?: Arbitrary<unknown>;
}

const requestOf = ({ route, overrides = ids, body }: Source): Arbitrary<Omit<Outgoing, 'method'>> => {
  const schemaBody = route.body ? toObject(route.body, overrides) : undefined;
  return fc
    .tuple(
      pathOf(route, overrides),
      queryOf(route, overrides),
      bodyOf(route, body ?? schemaBody),
      route.isRawBody ? fc.constant('application/octet-stream') : jsonType,
      oddHeaders,
      fc.boolean(),
    )
    .map(([path, query, content, type, odd, isChunked]) => ({
      path: path + query,
      headers: { ...(content === undefined ? {} : { 'content-type': type }), ...odd },
      body: content,
      isChunked: isChunked && content !== undefined,
    }));
};

const isRefusal = ({ status }: Exchange, body: { ok?: boolean }): boolean => status >= 400 || body.ok === false;

const expectSound = (answer: Exchange): void => {
  const { status, headers, bytes } = answer;
  expect(status, bytes.toString().slice(0, 500)).toBeLessThan(500);
  expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers['x-content-type-options']).toBe('nosniff');
  const isFile = headers['content-disposition'] !== undefined || headers['content-type'] === 'application/octet-stream';
  if (status === 304 || (status === 200 && isFile)) return;
  expect(headers['content-type']).toMatch(/^application\/json/);
  const body = JSON.parse(bytes.toString()) as Record<string, unknown>;
  if (status === 422) expect(Object.keys(body)).toEqual(['message', 'errors', 'code', 'hint']);
  else if (status >= 400)
    expect(body).toEqual({
      ok: false,
      msg: expect.any(String),
      data: null,
      code: expect.any(String),
      hint: expect.any(String),
    });
};

const parse = ({ bytes, headers }: Exchange): { ok?: boolean } =>
  String(headers['content-type']).startsWith('application/json') ? (JSON.parse(bytes.toString()) as object) : {};

/**
 * Sends a number of requests generated from the source, one after the other, and checks each answer against the rules.
 */
export const fuzz = async (source: Source, runs: number): Promise<Map<number, number>> => {
  const statuses = new Map<number, number>();
  let before = await takeSnapshot();
  await fc.assert(
    fc.asyncProperty(requestOf(source), async (request) => {
      const authorization = { authorization: `Bearer ${source.token()}` };
      const headers = { ...authorization, ...request.headers };
      const answer = await exchange(world.server.url, agent, { ...request, method: source.route.method, headers });
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      expectSound(answer);
      expectDescribed(listFlaws, source.route, answer);
      const after = await takeSnapshot();
      if (isRefusal(answer, parse(answer))) expect(after).toBe(before);
      before = after;
    }),
    { numRuns: runs, seed: FIRST_SEED + testSeed, endOnFailure: true },
  );
  return statuses;
};

export const named = (routes: Record<string, RouteContract>) =>
  Object.values(routes).map((route) => ({ name: `${route.method} ${route.url}`, route }));
export const victim = () => takeUserSnapshot(world.server, world.owner.user.id, world.host.id);
