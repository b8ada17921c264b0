/** Troubles of real terminals that the name of a server asks for. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitFor } from '@berth/testing/wait-for';
import { readJournal, waitForLine, sandbox, root, useTerminal, type RunningTerminal } from './sandbox.ts';

useTerminal();

const start = (server: string): RunningTerminal =>
  sandbox.startTerminal(root, {
    args: [sandbox.writeStartFile(`[Common]\r\nLogin=5001\r\nPassword=p\r\nServer=${server}\r\nKeepPrivate=1\r\n`)],
  });
const countLines = (text: string): number => readJournal(root).filter((line) => line.includes(text)).length;

test('Switching: the access point changes, and the account is back on the other one', async () => {
  start('Switching-Demo');
  await waitForLine(root, "'5001': authorized on Switching-Demo through Access Point 1");
  await waitForLine(root, "'5001': connection to Switching-Demo lost");
  await waitForLine(root, "'5001': authorized on Switching-Demo through Access Point 2");
  expect(countLines('connection to Switching-Demo lost')).toBe(1);
});

test('Allocated: the server gives another demo account, which the terminal takes for its own', async () => {
  const terminal = start('Allocated-Demo');
  await waitForLine(root, "current demo account '5001' on Allocated-Demo was deleted, new demo will be allocated");
  await waitForLine(root, "demo account '90005001' was allocated on Allocated-Demo");
  await waitForLine(root, "'90005001': trading has been enabled");
  expect(countLines("'5001': authorized")).toBe(0);
  await terminal.stop();
});

test('Expired: the account is let in and may do nothing before its password is changed', async () => {
  start('Expired-Demo');
  await waitForLine(root, "'5001': authorized on Expired-Demo");
  await waitForLine(root, "\tExpired-Demo\t'5001': master password must be changed");
  expect(countLines('synchronized')).toBe(0);
});

test('Wiped: the saved account is gone at the next start, which says so before its banner', async () => {
  const first = start('Wiped-Demo');
  await waitFor(() => existsSync(join(root, 'config/accounts.dat')), { what: 'the saved account' });
  await first.stop();
  const before = readJournal(root).length;
  const second = sandbox.startTerminal(root);
  await second.ask({ op: 'web_request_list' });
  await second.stop();
  const lines = readJournal(root).slice(before);
  expect(lines[0]).toContain('\tAccounts\tdeleted due security reason');
  expect(lines[1]).toContain('started for');
  expect(lines.join('\n')).not.toContain('authorized');
});

test('Late: the line about the login reaches the disk long after the login', async () => {
  const terminal = start('Late-Demo');
  await waitFor(() => existsSync(join(root, 'config/accounts.dat')), { what: 'the login' });
  expect(countLines('authorized')).toBe(0);
  await waitForLine(root, "'5001': authorized on Late-Demo");
  await terminal.stop();
});

test('Dialog: a login dialog stays open and takes all input', async () => {
  const terminal = start('Dialog-Demo');
  await waitForLine(root, "'5001': authorized on Dialog-Demo");
  await waitFor(async () => JSON.stringify(await terminal.ask({ op: 'dialogs' })).includes('"title":"Login"'));
  expect(await terminal.ask({ op: 'keys', keys: 'ctrl+e' })).toEqual({ ok: false, error: 'blocked' });
});

test('a server in other letters is the same one, with the same accounts', async () => {
  const first = start('Harbour-Demo');
  await waitForLine(root, "'5001': authorized on Harbour-Demo");
  await first.stop();
  const args = [sandbox.writeStartFile('[Common]\r\nLogin=5001\r\nPassword=other\r\nServer=HARBOUR-demo\r\n')];
  const second = sandbox.startTerminal(root, { args });
  await waitForLine(root, "'5001': authorization on HARBOUR-demo failed (Invalid account)");
  await second.stop();
});
