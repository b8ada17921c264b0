// @module-tag wine
/** `script/agent probe` on the stand-in terminal: what it tries, and what its report does not give away. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAgentFolder, removeAgentFolder, runCommand } from './support/host-command.ts';
import { makeStandInBase } from './support/stand-in-host.ts';
import { buildWindowsPrograms } from './support/windows-programs.ts';

const ACCOUNT = { login: '50019876', password: 'trade-me-not', server: 'Harbour-Secret-Demo' };

let folder: string;
beforeAll(async () => {
  buildWindowsPrograms('window', 'stand-in');
  folder = createAgentFolder();
  await makeStandInBase({ platform: 'mt5', folder: join(folder, 'bases'), tradingServer: '127.0.0.1:9' });
});
afterAll(() => removeAgentFolder(folder));

const readReport = (name: string) => JSON.parse(readFileSync(join(folder, name, 'probe.json'), 'utf8'));

// Side by side: most of a probe waits for what a terminal says, or does not.
test.concurrent('the stand-in does what a terminal is expected to do, point by point', async () => {
  const expected = [
    'start',
    'user',
    'mcp',
    'dialogs',
    'second-start',
    'close',
    'terminate',
    'start-file-ascii',
    'start-file-utf16',
  ];
  const args = ['probe', '--patience', '20', '--to', 'all', '--only', [...expected, 'chart', 'web-request'].join(',')];
  const { code, stdout, stderr } = await runCommand(folder, args);
  expect(stderr).not.toContain('berth:');
  const { points, build, wine, isolation } = readReport('all');
  expect(build).toBeGreaterThan(0);
  expect(wine).toBe('of this machine');
  expect(isolation).toBe('full');
  const outcomes = points.map(({ id, outcome }: { id: string; outcome: string }) => [id, outcome]);
  expect(outcomes.slice(0, expected.length)).toEqual(expected.map((id) => [id, 'as expected']));
  expect(code).toBe(0);
  expect(stdout).toContain('probe.md');
});

test.concurrent('no login, password, server or address gets into the report', async () => {
  const file = join(folder, 'account');
  const { login, password, server } = ACCOUNT;
  writeFileSync(file, `BERTH_PROBE_LOGIN=${login}\nBERTH_PROBE_PASSWORD=${password}\nBERTH_PROBE_SERVER=${server}\n`);
  const args = ['probe', '--account', file, '--patience', '4', '--to', 'secret', '--only', 'login,trading', '--json'];
  const { stdout, stderr } = await runCommand(folder, args);
  const written = ['probe.json', 'probe.md'].map((name) => readFileSync(join(folder, 'secret', name), 'utf8'));
  for (const text of [stdout, stderr, ...written]) {
    for (const secret of Object.values(ACCOUNT)) expect(text).not.toContain(secret);
  }
  expect(written.join()).not.toContain('could not be tried');
  const { points } = readReport('secret');
  expect(points.map(({ id }: { id: string }) => id)).toEqual(['login', 'trading']);
  expect(points[1].seen).toContainEqual(expect.stringMatching(/^In logs: [1-9]\d* lines of it\.$/i));
});

test.concurrent('without an account, what needs one is left out', async () => {
  const args = ['probe', '--patience', '5', '--to', 'none', '--only', 'login'];
  const { code } = await runCommand(folder, args);
  expect(code).toBe(0);
  expect(readReport('none').points[0].outcome).toBe('not tried');
});

test.concurrent('an account is never taken from an argument, nor a half one from stdin', async () => {
  expect((await runCommand(folder, ['probe', '--password', 'x'])).code).toBe(2);
  expect((await runCommand(folder, ['probe', '--to', 'half'], '5001\n')).code).toBe(1);
  expect((await runCommand(folder, ['probe', '--only', 'nothing'])).code).toBe(2);
});

/** Comes when all probes are over. */
afterAll(() => expect(readdirSync(join(folder, 'probe'))).toEqual([]));
