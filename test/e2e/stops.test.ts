/** A stop while an expert is being installed, kept over a restart of the agent, with everything real. */
import { useTestStack, waitFor } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';
import { TerminalUser } from './terminal-user.ts';

const stack = useTestStack();
let user: TerminalUser;
let id: string;
beforeAll(async () => {
  user = new TerminalUser(stack.url, (await stack.register('Stopper')).token);
  const order = { server_name: 'Harbour-Demo', login: '5001', password: 'pass-5001', region: 2 };
  ({ id } = await user.createTerminal(order));
  await user.waitForStatus(id, 'ACTIVE');
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
