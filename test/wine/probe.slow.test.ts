// @module-tag wine
/** `script/agent probe` on a base of MetaTrader 4 that `prepare-base` has made, of the stand-in terminal. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAgentFolder, removeAgentFolder, runCommand } from './support/host-command.ts';
import { buildWindowsPrograms, standInTerminal } from './support/windows-programs.ts';

let folder: string;
beforeAll(() => {
  buildWindowsPrograms('window', 'stand-in');
  folder = createAgentFolder();
});
afterAll(() => removeAgentFolder(folder));

test('a stand-in for MetaTrader 4 becomes a base without its accounts, and is probed by its own files', async () => {
  const terminal = join(folder, 'terminal');
  mkdirSync(join(terminal, 'config'), { recursive: true });
  writeFileSync(join(terminal, 'config/accounts.ini'), 'sealed');
  copyFileSync(standInTerminal(), join(terminal, 'terminal.exe'));
  // Longer than a journal of another program would be silent before it counts as settled.
  writeFileSync(join(terminal, 'berth-faults.ini'), '[faults]\r\ncompile_ms=18000\r\n');
  const made = await runCommand(folder, ['prepare-base', '--platform', 'mt4', '--folder', terminal, '--json']);
  expect(made.code).toBe(0);
  const { base } = JSON.parse(made.stdout) as { base: { folder: string } };
  expect(base).toMatchObject({ platform: 'mt4', program: 'mt4/terminal.exe', build: 1440 });
  const root = join(base.folder, 'prefix/drive_c/mt4');
  expect(existsSync(join(root, 'config/terminal.ini'))).toBe(true);
  expect(existsSync(join(root, 'config/accounts.ini'))).toBe(false);

  const expected = ['start', 'second-start', 'close', 'terminate', 'start-file-ascii'];
  const args = ['probe', '--platform', 'mt4', '--patience', '20', '--to', 'four', '--only', expected.join(',')];
  expect((await runCommand(folder, args)).code).toBe(0);
  const { platform, points, wine } = JSON.parse(readFileSync(join(folder, 'four', 'probe.json'), 'utf8'));
  expect(platform).toBe('mt4');
  expect(wine).toMatch(/^wine-/);
  const outcomes = points.map(({ id, outcome }: { id: string; outcome: string }) => [id, outcome]);
  expect(outcomes).toEqual(expected.map((id) => [id, 'as expected']));
});
