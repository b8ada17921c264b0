/**
 * A stranger that answers in the server's place (a proxy, a portal, a wrong address) decides nothing: the calls are
 * repeated.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AgentEvent } from '@berth/contract';
import { enrol } from '../src/host/enrolment.ts';
import { ServerConnection } from '../src/server/server-connection.ts';
import { ServerTransport } from '../src/server/server-transport.ts';
import { aTask, aTerminal } from './support/tasks.ts';
import { useAgent, type AgentUnderTest } from './support/agent-under-test.ts';
import { waitFor } from '@berth/testing/wait-for';

let host: AgentUnderTest;
useAgent((agent) => {
  host = agent;
  host.timePercent = 20;
  host.drainMs = 200;
});

const nothing = { terminals: [], tasks: [], revoked: [], resync: false, verdicts: [] };
const verdicts = Array.from({ length: 500 }, () => 'accepted');
const page = '<!doctype html><p>Please sign in.';

const strangers = {
  'a bare 404': { status: 404, text: '' },
  'a bare 401': { status: 401, text: '' },
  'a page with 403': { status: 403, text: page },
  'a page with 413': { status: 413, text: page },
  'a page with 500': { status: 500, text: page },
  'a page with 502': { status: 502, text: page },
  'a page with 200': { status: 200, text: page },
  'nothing with 200': { status: 200, text: '' },
  'nothing with 204': { status: 204, text: '' },
  'a redirection': { status: 302, text: page, headers: { location: 'http://127.0.0.1:1/' } },
  'JSON of another service': { status: 200, body: { status: 'ok' } },
  'a code of another service': { status: 404, code: 'NoSuchKey' },
  'our code with another status': { status: 400, code: 'unauthenticated' },
  'empty lists': { status: 200, body: nothing },
  'more verdicts than events': { status: 200, body: { ...nothing, verdicts } },
  'an answer to another session': {
    status: 200,
    body: { ...nothing, session_id: '00000000-0000-4000-8000-000000000000' },
  },
};
type Stranger = (typeof strangers)[keyof typeof strangers];
/** Through a whole agent these speak for all; every one is held against every call below. */
const chosen = ['a bare 404', 'a page with 200', 'empty lists', 'an answer to another session'] as const;

/** @returns how many calls of this name were answered by the stranger */
const answerInPlace = (call: string, stranger: Stranger, times: number): (() => number) => {
  let count = 0;
  host.server.inPlace = (name) => {
    if (name !== call || count === times) return undefined;
    count += 1;
    return stranger;
  };
  return () => count;
};

describe.each(chosen)('%s', (name) => {
  const stranger: Stranger = strangers[name];

  test('a stranger’s answer to a report acknowledges nothing', async () => {
    const count = answerInPlace('report', stranger, 2);
    host.start();
    const task = aTask(aTerminal(), { payload: { password: 'pass-of-the-demo' } });
    host.server.deliver(task);
    await waitFor(() => count() > 0, { what: 'the answers' });
    const isInHand = () => host.server.heartbeats.flat().some(({ task_id }) => task_id === task.id);
    await waitFor(isInHand, { what: 'a heartbeat' });
    expect(await host.endOf(task.id)).toMatchObject({ kind: 'completed', secrets: { password: 'pass-of-the-demo' } });
    expect(count()).toBe(2);
    expect(host.terminals.listRuns()).toEqual([`${task.id} 1`]);
  });

  test('a stranger’s answer to the beginning of a session stops no terminal, nor the agent', async () => {
    host.start();
    const terminal = await host.install();
    await host.stop('detach');
    const { pid } = host.terminals.identityOf(terminal.id)!;
    const count = answerInPlace('session', stranger, 2);
    host.start();
    await waitFor(() => host.server.sessions.length === 2, { what: 'a second session' });
    expect(count()).toBe(2);
    expect(host.terminals.isAlive(terminal.id)).toBe(true);
    expect(host.terminals.identityOf(terminal.id)?.pid).toBe(pid);
  });

  test('a stranger’s answer to an enrolment neither uses up the join token nor becomes a credential', async () => {
    const count = answerInPlace('enrol', stranger, 1);
    host.start();
    await waitFor(() => host.server.sessions.length === 1, { what: 'a session' });
    expect([count(), host.server.enrolments]).toEqual([1, 1]);
    expect(existsSync(join(host.folder, 'host', 'credential.json'))).toBe(true);
  });

  test('a stranger’s answer to a heartbeat or a claim ends no attempt and delivers none', async () => {
    host.start();
    const task = aTask(aTerminal(), { payload: { ms: 600_000 } });
    host.server.deliver(task);
    await waitFor(() => host.terminals.listRuns().length > 0, { what: 'the start' });
    const count = answerInPlace('heartbeat', stranger, 1);
    await waitFor(() => count() === 1, { what: 'the answer' });
    const before = host.server.heartbeats.length;
    await waitFor(() => host.server.heartbeats.length > before, { what: 'the next heartbeat' });
    expect(host.server.heartbeats.at(-1)).toEqual([{ task_id: task.id, fence: 1 }]);
    expect(host.log).not.toContain('the attempt was revoked');
  });

  test('a stranger’s answer to a download or an upload is no file', async () => {
    const content = Buffer.from('an expert');
    host.server.files.set('file-9', content);
    const counts = { 'file-9': 0, files: 0 };
    host.server.inPlace = (call) => {
      if ((call !== 'file-9' && call !== 'files') || counts[call] === 1) return undefined;
      counts[call] += 1;
      return stranger;
    };
    host.start();
    const task = aTask(aTerminal(), { payload: { file: 'file-9' } });
    host.server.deliver(task);
    expect(await host.endOf(task.id)).toMatchObject({ kind: 'completed' });
    expect(counts).toEqual({ 'file-9': 1, files: 1 });
    expect(host.server.uploads).toEqual([{ name: 'copy', content }]);
  });
});

test.each(Object.entries(strangers))('%s to any call means that the server was not reached', async (_, stranger) => {
  host.server.inPlace = () => stranger;
  const transport = new ServerTransport({ serverUrl: host.server.url, version: 'test' });
  const sessionId = '00000000-0000-4000-8000-000000000001';
  const session = { transport, bearer: '', sessionId, version: 'test', platforms: ['sandbox'] as const };
  const connection = new ServerConnection(session);
  const { signal } = new AbortController();
  const task = aTask(aTerminal());
  const files = connection.openFiles(task, signal);
  const event = { kind: 'completed', at: 1, task_id: task.id, fence: 1, steps: [] } satisfies AgentEvent;
  const enrolment = { transport, folder: join(host.folder, 'host'), platforms: session.platforms };
  const calls = [
    connection.startSession(signal),
    connection.heartbeat([{ taskId: task.id, fence: 1 }], signal),
    connection.claim({ slots: 1, waitMs: 0 }, signal),
    connection.report([event], signal),
    files.download('file-9'),
    files.upload('copy', Buffer.from('a screenshot')),
    enrol(enrolment, 'join-token', signal),
  ];
  for (const call of await Promise.allSettled(calls)) {
    expect(call).toMatchObject({ status: 'rejected', reason: { kind: 'unreachable', code: undefined } });
  }
  expect(existsSync(join(host.folder, 'host', 'credential.json'))).toBe(false);
  transport.close();
});

test.each([[[]], [['perhaps']], [verdicts]])(
  'verdicts that do not fit what was reported acknowledge nothing, though they are for this session: %#',
  async (wrong) => {
    let count = 0;
    host.server.inPlace = (name, bytes) => {
      if (name !== 'report' || count === 2) return undefined;
      count += 1;
      const { session_id } = JSON.parse(bytes.toString()) as { session_id: string };
      return { status: 200, body: { session_id, verdicts: wrong } };
    };
    host.start();
    const task = aTask(aTerminal());
    host.server.deliver(task);
    expect(await host.endOf(task.id)).toMatchObject({ kind: 'completed' });
    expect(count).toBe(2);
  },
);

test('an end on which there was no verdict when the agent stopped is reported by the next one', async () => {
  answerInPlace('report', strangers['a page with 502'], Infinity);
  host.start();
  const task = aTask(aTerminal());
  host.server.deliver(task);
  const journal = join(host.folder, 'host', 'journal');
  const readJournal = () => (existsSync(journal) ? readFileSync(journal, 'utf8') : '');
  await waitFor(() => readJournal().includes('"finished"'), { what: 'the end in the journal' });
  await host.stop();
  host.server.inPlace = () => undefined;
  host.start();
  expect(await host.endOf(task.id)).toMatchObject({ kind: 'completed' });
  expect(host.terminals.listRuns()).toEqual([`${task.id} 1`]);
});

test('a heartbeat that names attempts which were not asked about revokes nothing', async () => {
  host.start();
  const task = aTask(aTerminal(), { payload: { ms: 600_000 } });
  host.server.deliver(task);
  await waitFor(() => host.terminals.listRuns().length > 0, { what: 'the start' });
  const sessionId = host.server.sessions[0];
  const body = { session_id: sessionId, revoked: [task.id, aTask(aTerminal()).id], resync: false };
  const count = answerInPlace('heartbeat', { status: 200, body } as Stranger, 1);
  await waitFor(() => count() === 1, { what: 'the answer' });
  const before = host.server.heartbeats.length;
  await waitFor(() => host.server.heartbeats.length > before, { what: 'the next heartbeat' });
  expect(host.server.heartbeats.at(-1)).toEqual([{ task_id: task.id, fence: 1 }]);
});

test('the log says that somebody else answers, and what to look at', async () => {
  const count = answerInPlace('enrol', strangers['a bare 404'], 1);
  host.start();
  await waitFor(() => count() === 1, { what: 'the answer' });
  await waitFor(() => host.server.sessions.length === 1, { what: 'a session' });
  expect(host.log).toContain('was answered with status 404, but not by Berth.');
  expect(host.log).toContain('BERTH_SERVER_URL');
});
