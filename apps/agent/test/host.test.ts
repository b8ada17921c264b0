import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { MAX_REPORT_EVENTS, TaskType, TerminalStatus } from '@berth/contract';
import { UPLOADED_ID } from './support/protocol-server.ts';
import { aTask, aTerminal } from './support/tasks.ts';
import { useAgent, type AgentUnderTest } from './support/agent-under-test.ts';
import { waitFor } from '@berth/testing/wait-for';

let host: AgentUnderTest;
useAgent((agent) => (host = agent));

const readJournal = (): string => {
  const path = join(host.folder, 'host', 'journal');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};

test('enrolment happens once; the credential is kept for the owner only and never logged', async () => {
  host.start();
  await waitFor(() => host.server.sessions.length === 1, { what: 'a session' });
  await host.stop();
  host.joinToken = undefined;
  host.start();
  await waitFor(() => host.server.sessions.length === 2, { what: 'a second session' });
  expect(host.server.enrolments).toBe(1);
  expect(statSync(join(host.folder, 'host', 'credential.json')).mode & 0o777).toBe(0o600);
  expect(host.log).not.toContain(host.server.credential);
});

test('enrolment with a wrong join token ends with a text that says so', async () => {
  host.joinToken = 'wrong';
  await expect(host.start().done).rejects.toThrow('The join token of the host "test" was refused');
  expect(host.log).not.toContain('wrong');
});

test('enrolment without a join token ends with what is missing', async () => {
  host.joinToken = undefined;
  await expect(host.start().done).rejects.toThrow('BERTH_JOIN_TOKEN');
});

test('enrolment waits for a server that is away', async () => {
  await host.server.close();
  host.start();
  await waitFor(() => host.log.includes('the server does not answer'), { what: 'a retry' });
  await host.server.open();
  await waitFor(() => host.server.sessions.length === 1, { what: 'a session' });
});

describe('an attempt', () => {
  beforeEach(() => void host.start());

  test('an attempt is reported as started and completed, and the terminal as it is', async () => {
    const terminal = await host.install();
    const kinds = host.server.events.filter(({ task_id }) => task_id).map(({ kind }) => kind);
    expect(kinds).toEqual(['started', 'completed']);
    await waitFor(() => host.server.statuses(terminal.id).includes(TerminalStatus.ACTIVE), { what: 'the observation' });
    expect(host.server.events.find(({ terminal_id }) => terminal_id)?.path).toContain(terminal.id);
  });

  test('an attempt runs beside those of other terminals, and ends when its terminal gets a newer one', async () => {
    const [slow, quick] = [aTerminal(), aTerminal()];
    const [old, newer, other] = [aTask(slow, { payload: { ms: 600_000 } }), aTask(slow), aTask(quick)];
    host.server.deliver(old);
    await waitFor(() => host.terminals.listRuns().length === 1, { what: 'the start' });
    host.server.deliver(other);
    expect(await host.endOf(other.id)).toMatchObject({ kind: 'completed' });
    host.server.deliver(newer);
    expect(await host.endOf(newer.id)).toMatchObject({ kind: 'completed' });
    const ends = host.server.events.filter(({ kind }) => kind === 'completed').map(({ task_id }) => task_id);
    expect(ends).toEqual([other.id, newer.id]);
  });

  test('an attempt that is delivered twice runs once', async () => {
    const task = aTask(aTerminal(), { payload: { ms: 300 } });
    host.server.deliver(task);
    await waitFor(() => host.terminals.listRuns().length > 0, { what: 'the start' });
    host.server.deliver(task);
    await host.endOf(task.id);
    await waitFor(() => host.log.includes('delivered again'), { what: 'the second delivery' });
    expect(host.terminals.listRuns()).toEqual([`${task.id} 1`]);
  });

  test('an attempt whose driver has a defect fails with E_INTERNAL', async () => {
    const task = aTask(aTerminal(), { payload: { throws: true } });
    host.server.deliver(task);
    expect(await host.endOf(task.id)).toMatchObject({ kind: 'failed', steps: [{ code: 'E_INTERNAL' }] });
  });

  test('an attempt ends with E_TIMEOUT at its deadline even when the driver does not return', async () => {
    const task = aTask(aTerminal(), { running_deadline_ms: 50, payload: { ms: 6_000, stubborn: true } });
    host.server.deliver(task);
    expect(await host.endOf(task.id)).toMatchObject({ kind: 'timed_out', steps: [{ code: 'E_TIMEOUT' }] });
  });

  test('an attempt that the server revoked is aborted and its outcome dropped', async () => {
    const task = aTask(aTerminal(), { payload: { ms: 600_000 } });
    host.server.deliver(task);
    await waitFor(() => host.terminals.listRuns().length > 0, { what: 'the start' });
    host.server.revoked.add(task.id);
    await waitFor(() => host.log.includes('the attempt was revoked'), { what: 'the revocation' });
    await waitFor(() => host.server.heartbeats.at(-1)?.length === 0, { what: 'an empty hand' });
    expect(host.server.ends(task.id)).toEqual([]);
  });

  test('under a newer fence replaces the older one', async () => {
    const task = aTask(aTerminal(), { payload: { ms: 600_000 } });
    host.server.deliver(task);
    await waitFor(() => host.terminals.listRuns().length > 0, { what: 'the start' });
    host.server.deliver({ ...task, fence: 2, payload: {} });
    expect(await host.endOf(task.id)).toMatchObject({ kind: 'completed', fence: 2 });
    expect(host.server.ends(task.id)).toHaveLength(1);
  });

  test('under an older fence changes nothing about the newer one', async () => {
    const task = aTask(aTerminal(), { fence: 2, payload: { ms: 1_000 } });
    host.server.deliver(task);
    await waitFor(() => host.terminals.listRuns().length > 0, { what: 'the start' });
    host.server.deliver({ ...task, fence: 1, payload: {} });
    await waitFor(() => host.log.includes('tasks were delivered again'), { what: 'the older one' });
    expect(await host.endOf(task.id)).toMatchObject({ kind: 'completed', fence: 2 });
    expect(host.terminals.listRuns()).toHaveLength(1);
  });

  test('moves its files over the connection', async () => {
    const content = Buffer.from('an expert');
    host.server.files.set('file-9', content);
    const task = aTask(aTerminal(), { payload: { file: 'file-9' } });
    host.server.deliver(task);
    const end = await host.endOf(task.id);
    expect(host.server.uploads).toEqual([{ name: 'copy', content }]);
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect(end.steps?.[0]?.data).toMatchObject({ id: UPLOADED_ID, url: 'http://files/1', sha256, size: 9 });
  });

  test('an attempt whose upload the server refuses does not end well', async () => {
    host.server.files.set('file-9', Buffer.from('an expert'));
    host.server.replyOnce('files', { status: 413, code: 'attempt_quota', body: { msg: 'Too much.' } });
    const task = aTask(aTerminal(), { payload: { file: 'file-9' } });
    host.server.deliver(task);
    expect(await host.endOf(task.id)).toMatchObject({ kind: 'failed' });
    expect(host.server.uploads).toEqual([]);
  });

  test('uploads again what the server has under another hash, though of the same size', async () => {
    const content = Buffer.from('an expert');
    host.server.files.set('file-9', content);
    const file = { id: UPLOADED_ID, name: 'x', size: 9, sha256: '0'.repeat(64), type: 'image/png', created_at: '' };
    host.server.replyOnce('files', { body: { file, url: 'http://files/1' } });
    const task = aTask(aTerminal(), { payload: { file: 'file-9' } });
    host.server.deliver(task);
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect((await host.endOf(task.id)).steps?.[0]?.data).toMatchObject({ sha256 });
    expect(host.server.uploads).toEqual([{ name: 'copy', content }]);
  });

  test('an attempt whose file the server does not want any more was revoked, and is dropped', async () => {
    host.server.files.set('file-9', Buffer.from('an expert'));
    host.server.replyOnce('files', { status: 404, code: 'not_found', body: { msg: 'Task not found.' } });
    const task = aTask(aTerminal(), { payload: { file: 'file-9' } });
    host.server.deliver(task);
    await waitFor(() => host.log.includes('the attempt was revoked'), { what: 'the revocation' });
    await waitFor(() => host.server.heartbeats.at(-1)?.length === 0, { what: 'an empty hand' });
    expect(host.server.ends(task.id)).toEqual([]);
  });

  test('an attempt of TERMINAL_DESTROY lets go of the terminal', async () => {
    const terminal = await host.install();
    const task = aTask(terminal, { type: TaskType.TERMINAL_DESTROY });
    host.server.deliver(task);
    expect(await host.endOf(task.id)).toMatchObject({ kind: 'completed' });
    expect(existsSync(join(host.terminals.folder, terminal.id))).toBe(false);
  });

  test('an attempt is in the heartbeat while it is running', async () => {
    const task = aTask(aTerminal(), { payload: { ms: 600_000 } });
    host.server.deliver(task);
    await waitFor(() => host.server.heartbeats.at(-1)?.some(({ task_id }) => task_id === task.id), {
      what: 'a heartbeat',
    });
    host.server.revoked.add(task.id);
    await waitFor(() => host.server.heartbeats.at(-1)?.length === 0, { what: 'an empty hand' });
  });
});

test('reports survive a server that is away, in their order, and the terminals live on', async () => {
  host.start();
  const terminals = [await host.install(), await host.install()];
  const tasks = terminals.map((terminal, index) => aTask(terminal, { payload: { ms: 400 * (index + 1) } }));
  host.server.deliver(...tasks);
  await waitFor(() => host.terminals.listRuns().length === 4, { what: 'the start of both' });
  await host.server.close();
  await waitFor(() => host.log.includes('the server does not answer'), { what: 'a retry' });
  for (const { id } of terminals) expect(host.terminals.isAlive(id)).toBe(true);
  await host.server.open();
  await Promise.all(tasks.map(({ id }) => host.endOf(id)));
  const ends = host.server.events.filter(({ kind }) => kind === 'completed').map(({ task_id }) => task_id);
  expect(ends.slice(2)).toEqual(tasks.map(({ id }) => id));
});

test('reports are repeated when the answer is lost, and hold at most what the protocol allows', async () => {
  host.slots = 1_000;
  const tasks = Array.from({ length: 600 }, () => aTask(aTerminal()));
  host.start();
  host.server.replyOnce('report', { cutsConnection: true }, { status: 503, code: 'unavailable' });
  host.server.deliver(...tasks);
  await waitFor(() => tasks.every(({ id }) => host.server.ends(id).length > 0), { what: 'all ends' });
  expect(Math.max(...host.server.reportSizes)).toBeLessThanOrEqual(MAX_REPORT_EVENTS);
  expect(new Set(host.terminals.listRuns()).size).toBe(600);
  expect(host.terminals.listRuns()).toHaveLength(600);
});

test.each([
  { status: 422, code: 'validation' },
  { status: 500, code: 'internal' },
])('reports set aside the one event at which the server fails with $status, and try it again later', async (reply) => {
  const tasks = Array.from({ length: 4 }, () => aTask(aTerminal()));
  const { id: poison } = tasks[1]!;
  let failures = 0;
  let isMended = false;
  host.server.inPlace = (call, body) => {
    if (isMended || call !== 'report' || !body.includes(poison)) return undefined;
    failures += 1;
    return reply;
  };
  host.start();
  host.server.deliver(...tasks);
  await waitFor(() => tasks.filter(({ id }) => host.server.ends(id).length > 0).length === 3, { what: 'the others' });
  const before = failures;
  await waitFor(() => failures > before, { what: 'another try' });
  const isAlone = () =>
    host.server.heartbeats
      .at(-1)
      ?.map(({ task_id }) => task_id)
      .join() === poison;
  await waitFor(isAlone, { what: 'a heartbeat with nothing else in hand' });
  expect(
    readJournal()
      .split('\n')
      .some((line) => line.includes(poison) && line.includes('acknowledged')),
  ).toBe(false);
  isMended = true;
  await host.endOf(poison);
  await waitFor(() => host.server.heartbeats.at(-1)?.length === 0, { what: 'an empty hand' });
  expect(host.terminals.listRuns()).toHaveLength(4);
});

test('reports never carry a secret into the journal or the log', async () => {
  host.start();
  const task = aTask(aTerminal(), { payload: { password: 'pass-of-the-demo' }, secrets: { password: 'pass-given' } });
  host.server.replyOnce('report', ...Array.from({ length: 4 }, () => ({ status: 503 })));
  host.server.deliver(task);
  await waitFor(() => readJournal().includes('"finished"'), { what: 'the end in the journal' });
  expect(readJournal()).not.toMatch(/pass-of-the-demo|pass-given/);
  expect(await host.endOf(task.id)).toMatchObject({ secrets: { password: 'pass-of-the-demo' } });
  expect(host.log).not.toMatch(/pass-of-the-demo|pass-given/);
});

test('a terminal that dies is reported as disconnected and started again', async () => {
  host.start();
  const terminal = await host.install();
  const { pid } = host.terminals.identityOf(terminal.id)!;
  process.kill(pid, 'SIGKILL');
  await waitFor(() => host.terminals.identityOf(terminal.id)?.pid !== pid, { what: 'the restart' });
  await waitFor(() => /4,.*3$/.test(host.server.statuses(terminal.id).join()), { what: 'both observations' });
});

test('a terminal lives on when the agent detaches and is found again by the next', async () => {
  host.start();
  const terminal = await host.install();
  const before = host.terminals.identityOf(terminal.id);
  await host.stop('detach');
  expect(host.terminals.isAlive(terminal.id)).toBe(true);
  host.server.events.length = 0;
  host.start();
  await waitFor(() => host.server.statuses(terminal.id).includes(TerminalStatus.ACTIVE), { what: 'its observation' });
  expect(host.terminals.identityOf(terminal.id)).toEqual(before);
});

test('a terminal is reported again when the server had given the host up', async () => {
  host.start();
  const terminal = await host.install();
  await waitFor(() => host.server.statuses(terminal.id).includes(TerminalStatus.ACTIVE), {
    what: 'the first observation',
  });
  host.server.events.length = 0;
  host.server.wantsResync = true;
  await waitFor(() => host.server.statuses(terminal.id).includes(TerminalStatus.ACTIVE), {
    what: 'the observation again',
  });
});

test('a terminal that the server no longer wants is stopped, and its folder stays', async () => {
  host.start();
  const terminal = await host.install();
  await host.stop('detach');
  host.server.wanted = [];
  host.start();
  await waitFor(() => !host.terminals.isAlive(terminal.id), { what: 'the stop' });
  expect(host.terminals.identityOf(terminal.id)).toBeDefined();
});

test('a terminal that is down stays down until the server has said that it belongs here', async () => {
  host.start();
  const terminal = await host.install();
  await host.stop('stop terminals');
  expect(host.terminals.isAlive(terminal.id)).toBe(false);
  await host.server.close();
  host.start();
  await waitFor(() => host.log.split('the server does not answer').length > 1, { what: 'a retry' });
  expect(host.terminals.isAlive(terminal.id)).toBe(false);
  await host.server.open();
  await waitFor(() => host.terminals.isAlive(terminal.id), { what: 'the start' });
});

test('a terminal is stopped even by an agent that is asked to stop before it reached the server', async () => {
  host.start();
  const terminal = await host.install();
  await host.stop('detach');
  await host.server.close();
  host.start();
  await host.stop('stop terminals');
  expect(host.terminals.isAlive(terminal.id)).toBe(false);
});

test('the end of a host comes when another agent took over, and leaves the terminals alone', async () => {
  const { done } = host.start();
  const terminal = await host.install();
  host.server.sessions.push('another session');
  await expect(done).rejects.toThrow('Another agent has taken over the host "test"');
  expect(host.terminals.isAlive(terminal.id)).toBe(true);
});

test('the end of a host comes when its credential is revoked, and stops the terminals, which run elsewhere now', async () => {
  const { done } = host.start();
  const terminal = await host.install();
  host.server.replyOnce('heartbeat', { status: 401, code: 'unauthenticated' });
  await expect(done).rejects.toThrow('The server does not know the credential of the host "test"');
  expect(host.terminals.isAlive(terminal.id)).toBe(false);
});

test('the end of a host does not come when the server forgot the host but gave a join token: it enrols again', async () => {
  host.start();
  const terminal = await host.install();
  await host.stop();
  host.server.replyOnce('session', { status: 401, code: 'unauthenticated' });
  host.start();
  await waitFor(() => host.server.enrolments === 2, { what: 'the second enrolment' });
  const task = aTask(terminal);
  host.server.deliver(task);
  await waitFor(() => host.server.ends(task.id).length > 0, { what: 'a task of the new host' });
});

test('the end of a host lets running attempts finish', async () => {
  host.start();
  const running = aTask(aTerminal(), { payload: { ms: 1_000 } });
  host.server.deliver(running);
  await waitFor(() => host.terminals.listRuns().length > 0, { what: 'the start' });
  await host.stop();
  expect(host.server.ends(running.id)).toMatchObject([{ kind: 'completed' }]);
  expect(host.terminals.listRuns()).toHaveLength(1);
});

test('the end of a host of one agent is waited for by the next in the same folder', async () => {
  host.start();
  const task = aTask(aTerminal(), { payload: { ms: 4_000 } });
  host.server.deliver(task);
  await waitFor(() => host.terminals.listRuns().length > 0, { what: 'the start' });
  const stopped = host.stop();
  host.start();
  await waitFor(() => host.log.includes('another agent still works for this host'), { what: 'the wait' });
  await stopped;
  await waitFor(() => host.server.sessions.length === 2, { what: 'the second session' });
  expect(host.server.ends(task.id)).toMatchObject([{ kind: 'completed' }]);
});
