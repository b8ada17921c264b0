/** A stop while an expert is being installed, kept over a restart of the agent, with everything real. */
import { endProcesses, startTestStack, waitFor, type TestStack } from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TerminalUser } from './terminal-user.ts';

let stack: TestStack;
let user: TerminalUser;
let id: string;
beforeAll(async () => {
  stack = await startTestStack();
  user = new TerminalUser(stack.url, (await stack.register('Stopper')).token);
  const order = { server_name: 'Harbour-Demo', login: '5001', password: 'pass-5001', region: 2 };
  ({ id } = await user.createTerminal(order));
  await user.waitForStatus(id, 'ACTIVE');
});
afterAll(async () => {
  await stack.close();
  await endProcesses();
});

const listPids = () => stack.processes('terminal').map(({ pid }) => pid);

it('a stop interrupts the installation of an expert, and proves that the terminal is stopped', async () => {
  const file = await user.upload('Trend.ex5', Buffer.from('not a program, but the sandbox loads it all the same'));
  // It does not see the request to close, so the installation goes on until it is ended by force.
  for (const pid of listPids()) process.kill(pid, 'SIGSTOP');
  const payload = { name: 'Trend', file_id: file.id, symbol: 'EURUSD', period: 'H1' };
  const install = await user.createTask(id, 'EA_INSTALL', payload);
  await waitFor(async () => (await user.getTask(id, install)).status === 3, { what: 'the installation' });
  const stop = await user.waitForEnd(id, await user.createTask(id, 'TERMINAL_STOP'));
  expect([stop.status, stop.data]).toEqual([4, { running: false }]);
  expect(await user.waitForStatus(id, 'STOPPED')).toMatchObject({ status_reason: 'stopped' });
  expect(listPids()).toEqual([]);
  const moves = await user.berth.tasks.history(id, install);
  expect(moves).toContainEqual(expect.objectContaining({ from: 3, to: 1, actor: 'service' }));
  // It was queued again, behind the stop, and finds nothing to install on.
  const { status, result } = await user.waitForEnd(id, install);
  expect([status, result.runner_result.at(-1)?.code]).toEqual([5, 'E_NOT_RUNNING']);
});

it('a stopped terminal stays stopped when the agent comes back, until it is started', async () => {
  const before = stack.processes('agent').map(({ pid }) => pid);
  for (const pid of before) process.kill(pid, 'SIGKILL');
  await waitFor(() => stack.processes('agent').some(({ pid }) => !before.includes(pid)), { what: 'another agent' });
  // The new agent has the terminal in hand.
  await user.run(id, 'EA_LOGS', { source: 'journal' });
  expect(await user.getTerminal(id)).toMatchObject({ status_name: 'STOPPED', status_reason: 'stopped' });
  expect(listPids()).toEqual([]);
  const { data } = await user.run(id, 'TERMINAL_START');
  expect(data).toMatchObject({ running: true, connected: true, login: '5001' });
  await user.waitForStatus(id, 'ACTIVE');
  const [pid] = listPids();
  await user.run(id, 'TERMINAL_RESTART');
  expect(listPids()).not.toContain(pid);
});
