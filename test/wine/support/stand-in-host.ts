/** A service with a host that runs stand-in terminals under Wine, as the agent's own program does. */
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  endProcesses,
  logInOperator,
  startTestAgent,
  startTestStack,
  type SpawnedProcess,
  type TestStack,
} from '@berth/testing';
import { openAgentLauncher, openTerminal } from '@berth/testing/wine-terminals';
import { ensureTestPrefix } from './test-prefix.ts';
import {
  buildLinkProgram,
  buildWindowsPrograms,
  linkProgram,
  standInTerminal,
  standInTerminal64,
  windowProgram,
} from './windows-programs.ts';

const run = promisify(execFile);
const BASE = 'stand-in';

/** What differs between the two stand-ins. */
const programs = {
  mt5: { file: 'terminal64.exe', build: standInTerminal64, scripts: 'MQL5/Scripts', script: 'ShowAllSymbols.ex5' },
  mt4: { file: 'terminal.exe', build: standInTerminal(), scripts: 'MQL4/Scripts', script: 'ShowAllSymbols.ex4' },
} as const;
type StandInPlatform = keyof typeof programs;

export interface StandInBase {
  platform: StandInPlatform;
  /** Of all bases. */
  folder: string;
  /** The address of the trading server that the terminals know for every name. */
  tradingServer: string;
  pinnedBuild?: number;
  /** Of the link program, which is in it then; MetaTrader 5 alone. */
  linkVersion?: string;
}

const addLinkProgram = async (installation: string): Promise<void> => {
  buildLinkProgram();
  for (const path of ['MQL5/Services/Berth/BerthLink.ex5', 'MQL5/Experts/Berth/BerthLinkOrders.ex5']) {
    await mkdir(dirname(join(installation, path)), { recursive: true });
    await copyFile(join(dirname(linkProgram), basename(path)), join(installation, path));
  }
};

/** A base as `prepare-base` leaves it, from the prefix that all tests share. */
export const makeStandInBase = async ({
  platform,
  folder,
  tradingServer,
  pinnedBuild,
  linkVersion,
}: StandInBase): Promise<void> => {
  const prefix = await ensureTestPrefix();
  const { file, build, scripts, script } = programs[platform];
  const base = join(folder, platform, BASE);
  const drive = join(base, 'prefix', 'drive_c');
  await mkdir(base, { recursive: true });
  // Nothing writes into a base: its files may be the prefix's own.
  await run('cp', ['-al', prefix, join(base, 'prefix')]).catch(() => run('cp', ['-a', prefix, join(base, 'prefix')]));
  await mkdir(join(drive, platform, 'config'), { recursive: true });
  await mkdir(join(drive, platform, scripts), { recursive: true });
  await copyFile(build, join(drive, platform, file));
  await writeFile(join(drive, platform, 'config', 'servers.txt'), `*=${tradingServer}\r\n`);
  const closed = '[MCP.MetaTrader]\r\nEnable=0\r\n';
  if (platform === 'mt5') await writeFile(join(drive, platform, 'config', 'assistant.ini'), closed);
  await writeFile(join(drive, platform, scripts, script), 'the stand-in knows it by its name');
  if (linkVersion !== undefined) await addLinkProgram(join(drive, platform));
  const record = {
    version: 1,
    platform,
    name: BASE,
    program: `${platform}/${file}`,
    build: 6000,
    wine_version: 'of this machine',
    prepared_at: new Date().toISOString(),
    sha256: {},
    pinned_build: pinnedBuild ?? null,
    link: linkVersion === undefined ? null : { version: linkVersion },
  };
  await writeFile(join(base, 'base.json'), JSON.stringify(record));
  await writeFile(join(folder, platform, 'current'), `${BASE}\n`);
};

export interface StandInHost {
  stack: TestStack;
  /** Everything of the agent. */
  directory: string;
  agent: SpawnedProcess;
  startAgent(): SpawnedProcess;
  close(): Promise<void>;
}

/** What an agent that was ended left running. */
const removeTerminals = async (directory: string, program: string): Promise<void> => {
  const terminals = join(directory, 'host', 'terminals');
  const launcher = openAgentLauncher(directory, dirname(windowProgram));
  for (const name of await readdir(terminals).catch((): string[] => [])) {
    if (!/^[\da-f-]{36}$/.test(name)) continue;
    const { box, processes } = openTerminal(launcher, join(terminals, name), program);
    await processes.clear();
    await launcher.remove(box);
  }
};

interface StandInHostPlace {
  stack: TestStack;
  platform: StandInPlatform;
  folder: string;
  directory: string;
  environment: Record<string, string>;
  linkVersion: string | undefined;
}

const joinStandInHost = async (place: StandInHostPlace) => {
  const { stack, platform, folder, directory, environment, linkVersion } = place;
  const networkFile = join(stack.dataDir, 'sandbox', 'network');
  const tradingServer = (await readFile(networkFile, 'utf8')).trim();
  const bases = join(folder, 'bases');
  await makeStandInBase({ platform, folder: bases, tradingServer, ...(linkVersion ? { linkVersion } : {}) });
  const startAgent = (joinToken?: string) =>
    startTestAgent({
      serverUrl: stack.url,
      directory,
      networkFile,
      ...(joinToken === undefined ? {} : { joinToken }),
      environment: {
        BERTH_AGENT_PLATFORMS: platform,
        BERTH_AGENT_BASES: bases,
        // The stand-in answers in moments where a real terminal takes minutes.
        BERTH_AGENT_EXPERT_WATCH_S: '5',
        BERTH_AGENT_LINK_HOLD_S: '1',
        BERTH_AGENT_HOST_PORTS: tradingServer.split(':')[1] ?? '',
        BERTH_WINDOWS_DIST: dirname(windowProgram),
        ...environment,
      },
    });
  const { berth } = await logInOperator(stack);
  const order = { region: 2, name: 'wine', capacity: 50 };
  const agent = startAgent((await berth.operator.joinTokens.create(order)).join_token);
  await stack.waitForHosts(5);
  return { agent, startAgent: () => startAgent() };
};

/** @param environment further settings of the agent @param linkVersion of the link program in its base, if it has one */
export const startStandInHost = async (
  platform: StandInPlatform = 'mt5',
  environment: Record<string, string> = {},
  linkVersion?: string,
): Promise<StandInHost> => {
  buildWindowsPrograms('window', 'stand-in');
  const stack = await startTestStack();
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'berth-wine-host-')));
  await chmod(folder, 0o755);
  const directory = join(folder, 'agent');
  const close = async (): Promise<void> => {
    await endProcesses();
    await removeTerminals(directory, programs[platform].file);
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const place = { stack, platform, folder, directory, environment, linkVersion };
    const { agent, startAgent } = await joinStandInHost(place);
    return { stack, directory, agent, startAgent, close };
  } catch (error) {
    await close();
    throw error;
  }
};
