/** Runs the examples, one after the other, and says what was sent and answered. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Berth } from '@berth/client';
import { publicOperations, type RouteContract } from '@berth/contract';
import type { TestStack } from '@berth/testing';
import { format } from 'prettier';
import { calls } from './calls.ts';
import { runCommand, toCommand } from './curl.ts';
import { after, before, settled, type Scene } from './prepare.ts';
import { readCalls } from './source.ts';
import { toVariables, type World } from './world.ts';

/** An example as it is kept: how it is called, what it sends, and what comes. */
export interface ApiExample {
  curl: string;
  ts: string;
  /** The body that it sends, where that is JSON. */
  body?: unknown;
  /** Media type of the answer. */
  type: string;
  /** The answer: JSON, or the text of events. Of bytes there is none. */
  answer?: unknown;
}

/** What was run: the examples, and what the audit log has of each that people call to change something. */
export interface ExampleRun {
  examples: Record<string, ApiExample>;
  audited: Record<string, string[]>;
}

interface Sent {
  method: string;
  pathname: string;
  curl: string;
  body: unknown;
  type: string;
  text: string;
}

const ofSessions = ['listSessions', 'deleteSession', 'deleteSessions'];

/** Sessions of browsers belong to the operator here, who came by a link; hosts are the operator's anyway. */
const isForOperator = (name: string): boolean =>
  publicOperations[name]?.auth === 'operator' || ofSessions.includes(name);

/** A `fetch` that types the request as a command for `curl`. */
const createCurlFetch = (folder: string, { stack, world }: Scene, token: string, sent: Sent[]): typeof fetch => {
  return async (input, init = {}) => {
    const headers = new Headers(init.headers);
    const url = new URL(input);
    const variables = toVariables(world);
    const body = init.body as string | Uint8Array | undefined;
    const method = init.method ?? 'GET';
    const curl = toCommand({ method, url, hasToken: headers.has('authorization'), body }, variables);
    const json: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
    const noted: Sent = { method, pathname: url.pathname, curl, body: json, type: '', text: '' };
    sent.push(noted);
    const environment = { ...variables, BERTH: stack.url, TOKEN: token };
    const response = await runCommand(curl, folder, environment, (text) => (noted.text += text));
    noted.type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
    return response;
  };
};

const isOf = ({ method, url }: RouteContract, sent: Sent): boolean =>
  sent.method === method && new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`).test(sent.pathname);

/** As it would be formatted in a file of its own. */
const toProgram = async (text: string): Promise<string> =>
  (await format(text, { parser: 'typescript', printWidth: 110, singleQuote: true, trailingComma: 'all' })).trim();

const toExample = async (sent: Sent, call: string): Promise<ApiExample> => {
  const { curl, body, type, text } = sent;
  const isJson = type === 'application/json';
  const answer: unknown = isJson ? JSON.parse(text) : type === 'text/event-stream' ? text : undefined;
  const hasResult = call.startsWith('await') && (!isJson || (answer as { data: unknown }).data !== null);
  return {
    curl,
    ts: await toProgram(hasResult ? `const result = ${call}` : call),
    ...(body === undefined ? {} : { body }),
    type,
    ...(answer === undefined ? {} : { answer }),
  };
};

/** The actions of people in the audit log that are newer than a row, the newest first. */
const listAudited = async ({ stack, tokens }: Scene, since: string): Promise<{ last: string; actions: string[] }> => {
  const { operator } = new Berth({ baseUrl: stack.url, token: tokens.operator });
  const { data } = await operator.auditLog.page({ per_page: 100 });
  const rows = data.filter(({ id, actor }) => id > since && actor.kind !== 'system');
  return { last: data[0]?.id ?? since, actions: rows.map(({ action }) => action) };
};

const runOne = async (
  name: string,
  scene: Scene,
  folder: string,
  { texts, audited }: { texts: Map<string, string>; audited: ExampleRun['audited'] },
): Promise<ApiExample> => {
  await before[name]?.(scene);
  const token = isForOperator(name) ? scene.tokens.operator : scene.tokens.user;
  const sent: Sent[] = [];
  const fetch = createCurlFetch(folder, scene, token, sent);
  scene.world.berth = new Berth({ baseUrl: scene.stack.url, token: token || undefined, fetch, maxRetries: 0 });
  const route = publicOperations[name];
  // The first one makes the account that all others need.
  const isChange = route?.method !== 'GET' && scene.tokens.operator !== '';
  const { last } = isChange ? await listAudited(scene, '') : { last: '' };
  await calls[name]?.(scene.world);
  await settled[name]?.(scene);
  if (isChange) audited[name] = (await listAudited(scene, last)).actions;
  const own = route && sent.find((request) => isOf(route, request));
  if (!own) throw new Error(`${name} sent ${JSON.stringify(sent.map(({ pathname }) => pathname))}`);
  const example = await toExample(own, texts.get(name) ?? '');
  await after[name]?.(scene, example.answer);
  return example;
};

/** @returns by the names of their operations */
export const runExamples = async (stack: TestStack): Promise<ExampleRun> => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-examples-'));
  const program = new TextEncoder().encode('a program');
  writeFileSync(join(folder, 'Trend.ex5'), program);
  const empty = { terminalId: '', taskId: '', runId: '', fileId: '', projectId: '', notificationId: '', hostId: '' };
  const hook = {
    joinTokenId: '',
    userId: '',
    invitationId: '',
    webhookId: '',
    deliveryId: '',
    snapshotId: '',
    scheduleId: '',
    riskRuleId: '',
    breachId: '',
    alertChannelId: '',
    alertRuleId: '',
    alertId: '',
  };
  const user = new Berth({ baseUrl: stack.url });
  const world: World = { berth: user, program, ...empty, ...hook, tokenId: 0, sessionId: 0, code: '' };
  const scene: Scene = {
    stack,
    world,
    user,
    tokens: { user: '', operator: '' },
    setUserToken: (token) => {
      scene.tokens.user = token;
      scene.user = new Berth({ baseUrl: stack.url, token });
    },
  };
  try {
    const texts = readCalls();
    const examples: Record<string, ApiExample> = {};
    const audited: ExampleRun['audited'] = {};
    for (const name of Object.keys(calls)) examples[name] = await runOne(name, scene, folder, { texts, audited });
    return { examples, audited };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
