// @module-tag wine
/** An agent's terminal in its box with the link program: what the box's own user writes there, the agent can read. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TerminalUser } from '../e2e/terminal-user.ts';
import { startStandInHost, type StandInHost } from './support/stand-in-host.ts';

let host: StandInHost | undefined;
beforeAll(async () => void (host = await startStandInHost('mt5', {}, '1.0.0')));
afterAll(() => host?.close());

/** The installation of the only terminal of a host. */
const findInstallation = async (directory: string): Promise<string> => {
  const entries = await readdir(directory, { recursive: true });
  const found = entries.find((entry) => entry.endsWith('prefix/drive_c/mt5/terminal64.exe'));
  if (found === undefined) throw new Error('There is no terminal.');
  return join(directory, found, '..');
};

it('a terminal writes its account from the first start on, and counts on after the next one', async () => {
  if (!host) throw new Error('There is no host.');
  const user = new TerminalUser(host.stack.url, (await host.stack.register('Link')).token);
  const account = { server_name: 'Harbour-Demo', login: '5772', password: 'pass-5772' };
  const terminal = await user.createTerminal({ ...account, region: 2, platform: 'mt5' });
  await user.waitForStatus(terminal.id, 'ACTIVE');
  const installation = await findInstallation(host.directory);
  const path = join(installation, 'MQL5/Files/Berth/account.json');
  const read = async (): Promise<Record<string, unknown> | undefined> => {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as Record<string, unknown>);
  };
  const waitForAccount = (after: number): Promise<Record<string, unknown>> =>
    waitFor(
      async () => {
        const file = await read();
        return file?.is_synchronized === true && Number(file.sequence) > after ? file : undefined;
      },
      { what: 'a synchronised account', timeoutMs: 60_000 },
    );
  const first = await waitForAccount(0);
  expect(first).toMatchObject({ login: '5772', server: 'Harbour-Demo', balance: '10000.00', positions: [] });
  // The folder that we made is the box's own user's.
  expect((await stat(path)).uid).toBe((await stat(join(installation, 'MQL5/Files/Berth/commands'))).uid);
  await user.run(terminal.id, 'ACCOUNT_LOGIN', { password: account.password });
  expect(Number((await waitForAccount(Number(first.sequence))).sequence)).toBeGreaterThan(Number(first.sequence));
});
