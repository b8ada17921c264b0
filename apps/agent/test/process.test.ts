import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { TaskType, TerminalStatus } from '@berth/contract';
import { bundle, run, type Program } from './support/programs.ts';
import { JOIN_TOKEN, ProtocolServer } from './support/protocol-server.ts';
import { SleepTerminals } from './support/sleep-terminals.ts';
import { aTask, aTerminal } from './support/tasks.ts';
import { waitFor } from '@berth/testing/wait-for';
import { useFolder } from './support/use-folder.ts';

let programs: { folder: string; remove: () => void };
let directory: string;
let server: ProtocolServer;
let terminals: SleepTerminals;
const started: Program[] = [];

beforeAll(async () => {
  programs = await bundle(['test/support/agent-main.ts']);
});
afterAll(() => programs.remove());
useFolder(async (created) => {
  directory = created;
  server = await new ProtocolServer().open();
  terminals = new SleepTerminals(join(directory, 'test', 'terminals'));
});
afterEach(async () => {
  for (const { child, ended } of started.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  await server.close();
  await terminals.killAll();
});

const startAgent = (): Program => {
  const env = { TEST_SERVER_URL: server.url, TEST_DIRECTORY: directory, TEST_JOIN_TOKEN: JOIN_TOKEN };
  const agent = run(join(programs.folder, 'agent-main.js'), env);
  started.push(agent);
  return agent;
};
const kill = async (agent: Program): Promise<void> => {
  agent.child.kill('SIGKILL');
  expect(await agent.ended).toBe('SIGKILL');
};

test('an agent that is killed in the middle of a task reports it as interrupted, never runs it again, and keeps its terminal', async () => {
  const terminal = aTerminal();
  const [install, task] = [
    aTask(terminal, { type: TaskType.TERMINAL_INSTALL }),
    aTask(terminal, { payload: { ms: 600_000 } }),
  ];
  const agent = startAgent();
  server.deliver(install);
  await waitFor(() => server.ends(install.id).length > 0, { what: 'the installation' });
  server.wanted = [{ ...terminal, status: TerminalStatus.ACTIVE }];
  server.deliver(task);
  await waitFor(() => terminals.listRuns().length === 2, { what: 'the start of the task' });
  const before = terminals.identityOf(terminal.id);
  await kill(agent);
  expect(terminals.isAlive(terminal.id)).toBe(true);

  startAgent();
  const end = await waitFor(() => server.ends(task.id)[0], { what: 'the report' });
  expect(end).toMatchObject({ kind: 'interrupted', fence: 1 });
  await waitFor(() => server.statuses(terminal.id).at(-1) === TerminalStatus.ACTIVE, { what: 'the observation' });
  expect(terminals.identityOf(terminal.id)).toEqual(before);
  // The next attempt of the same task is another one, and runs.
  server.deliver({ ...task, fence: 2, payload: {} });
  await waitFor(() => server.ends(task.id).some(({ fence }) => fence === 2), { what: 'the second attempt' });
  expect(terminals.listRuns()).toEqual([`${install.id} 1`, `${task.id} 1`, `${task.id} 2`]);
});

test('an agent that is killed before it could report an outcome reports it afterwards, the secret included', async () => {
  const task = aTask(aTerminal(), { type: TaskType.ACCOUNT_OPEN_DEMO, payload: { password: 'pass-of-the-demo' } });
  const agent = startAgent();
  await waitFor(() => server.sessions.length === 1, { what: 'a session' });
  server.replyOnce('report', ...Array.from({ length: 1_000 }, () => ({ status: 503, code: 'unavailable' })));
  server.deliver(task);
  await waitFor(() => agent.output().includes('attempt ended'), { what: 'the end' });
  await kill(agent);
  server.replies.clear();

  const next = startAgent();
  const end = await waitFor(() => server.ends(task.id)[0], { what: 'the report' });
  expect(end).toMatchObject({ kind: 'completed', secrets: { password: 'pass-of-the-demo' } });
  expect(terminals.listRuns()).toEqual([`${task.id} 1`]);
  expect(agent.output() + next.output()).not.toContain('pass-of-the-demo');
});

test('an agent that is killed with SIGTERM ends with success and leaves its terminals running', async () => {
  const terminal = aTerminal();
  const install = aTask(terminal, { type: TaskType.TERMINAL_INSTALL });
  const agent = startAgent();
  server.deliver(install);
  await waitFor(() => server.ends(install.id).length > 0, { what: 'the installation' });
  agent.child.kill('SIGTERM');
  expect(await agent.ended).toBe(0);
  expect(terminals.isAlive(terminal.id)).toBe(true);
});
