/**
 * Starts of `script/server` under adverse conditions: stopped, killed and asked to stop at moments of its start, and
 * run by its own command.
 */
import { spawnSync } from 'node:child_process';
import { waitFor, type StackRole } from '@berth/testing';
import { expect } from 'vitest';
import type { Checkout, StartedServer } from './checkout.ts';
import { TerminalUser } from './terminal-user.ts';

export const stop = async (server: StartedServer): Promise<void> => {
  server.kill('SIGTERM');
  expect(await server.ended).toEqual({ code: 0, signal: null });
};

/** Runs the command that the server printed, in a shell, as a person would. */
export const tryCommand = (output: string): { ok?: boolean; data?: { token?: string } } => {
  const command = /^\s+(curl .*)$/m.exec(output)?.[1] ?? '';
  const { stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  if (stdout === '') throw new Error(`${command} said nothing: ${stderr}`);
  return JSON.parse(stdout) as ReturnType<typeof tryCommand>;
};

/** Has the user of the printed command run a terminal, and stops. */
export const runTerminalAndStop = async (checkout: Checkout, server: StartedServer): Promise<void> => {
  const user = new TerminalUser(server.url, tryCommand(server.output).data?.token ?? '');
  const { id } = await user.createTerminal({ server_name: 'Quay', login: '1', password: 'pass-1' });
  await user.waitForStatus(id, 'ACTIVE');
  await stop(server);
  expect(checkout.processes()).toEqual([]);
};

const spawnUntil = async (checkout: Checkout, port: string, role: StackRole) => {
  const server = checkout.spawn({ BERTH_PORT: port });
  await waitFor(() => checkout.processes(role).length > 0, { what: role, timeoutMs: 300_000 });
  return server;
};

/** Kills the server as soon as it has a child of the role: all of its children end, but those that the next start takes over. */
export const killWhileStarting = async (checkout: Checkout, port: string, role: StackRole): Promise<void> => {
  const server = await spawnUntil(checkout, port, role);
  server.kill('SIGKILL');
  await server.ended;
  const isGone = () => checkout.processes('server', 'agent', 'trading server').length === 0;
  await waitFor(isGone, { what: 'an end of the children' });
};

/** Asks the server to stop as soon as it has a child of the role: it ends cleanly, and nothing is left. */
export const stopWhileStarting = async (checkout: Checkout, port: string, role: StackRole): Promise<void> => {
  const server = await spawnUntil(checkout, port, role);
  server.kill('SIGTERM');
  expect(await server.ended).toEqual({ code: 0, signal: null });
  expect(checkout.processes()).toEqual([]);
};
