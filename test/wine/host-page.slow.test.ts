// @module-tag wine
/**
 * The commands of docs/hosts.md, typed as they stand there: from a look at the machine to a host in service, and the probe. The
 * broker's setup program and the installed terminal are stand-ins. The host joins on a fresh folder, and comes back.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { logInOperator, startTestStack, type TestStack } from '@berth/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PageShell } from '../e2e/page-shell.ts';
import { readBlocks, readRun } from '../house/page-blocks.ts';
import { createAgentFolder, removeAgentFolder } from './support/host-command.ts';
import { buildWindowsPrograms, makeInstaller, rootDir, standInTerminal64 } from './support/windows-programs.ts';

const TIMEOUT_MS = 600_000;
const blocks = readBlocks('docs/hosts.md').filter((block) => readRun(block)?.by === 'host');
const [look, fromInstaller, fromFolder, enrol, probe] = blocks;

let folder: string;
let stack: TestStack;
let shell: PageShell;

beforeAll(async () => {
  buildWindowsPrograms('window', 'stand-in', 'setup');
  folder = createAgentFolder();
  const installed = join(folder, 'MetaTrader 5');
  mkdirSync(installed);
  copyFileSync(standInTerminal64, join(installed, 'terminal64.exe'));
  stack = await startTestStack();
  const { berth } = await logInOperator(stack);
  const order = { region: 2, name: 'wine', capacity: 1 };
  const places = {
    '/opt/berth-agent/current': rootDir,
    'broker5setup.exe': makeInstaller(folder),
    '/mnt/old/MetaTrader 5': installed,
    'https://berth.example.com': stack.url,
    '<the join token>': (await berth.operator.joinTokens.create(order)).join_token,
    '--to report': `--to '${folder}/report' --patience 4 --only start`,
  };
  shell = new PageShell({ places, environment: { HOME: folder, BERTH_AGENT_DIR: join(folder, 'agent') } });
}, TIMEOUT_MS);
afterEach(() => shell?.pressCtrlC());
afterAll(async () => {
  await stack?.close();
  removeAgentFolder(folder);
}, TIMEOUT_MS);

describe('docs/hosts.md', { timeout: TIMEOUT_MS }, () => {
  it('docs/hosts.md has all that this test types', () => expect(blocks).toHaveLength(5));

  it('docs/hosts.md looks at the machine, and finds that it can be a host', async () =>
    expect(await shell.type(look!)).toMatch(/This host can offer MetaTrader 5\s+under Wine/));

  it('docs/hosts.md makes bases by an installer and from a folder', async () => {
    await shell.type(fromInstaller!);
    const listed = await shell.type(fromFolder!);
    expect(listed).toMatch(/\bdefault\b/);
    expect(listed).toMatch(/\bold\b/);
    expect(readdirSync(join(folder, 'agent/bases/mt5'))).toEqual(expect.arrayContaining(['default', 'old']));
  });

  it.each(['the first time', 'again'])('docs/hosts.md leads to a host in service %s', async () => {
    await shell.begin(enrol!);
    await stack.waitForHosts(5);
  });

  it('docs/hosts.md writes a report of the probe', async () => {
    await shell.type(probe!);
    expect(['probe.md', 'probe.json'].filter((name) => existsSync(join(folder, 'report', name)))).toHaveLength(2);
  });
});
