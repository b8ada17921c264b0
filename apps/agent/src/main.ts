/**
 * The agent's process: environment → config → hosts, signals and the parent's messages → their end. Nothing else.
 * SIGTERM, SIGINT and the parent's death detach from the terminals, which live on; `{"stop":"all"}` stops them too. A second
 * signal ends the process at once: the journal makes that harmless.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT, fail, refuseArguments, runProcessCommand } from '@berth/command';
import { HEARTBEAT_MS } from '@berth/contract/agent';
import { CHART_MS, SAMPLE_MS } from '@berth/contract/values';
import { ConfigError, createLogger, systemTiming } from '@berth/kit';
import { isCommandName } from './commands/command-names.ts';
import { readConfig, readHostSettings, usage, type AgentConfig } from './config.ts';
import { startHostGroup } from './host/host-group.ts';
import { toParentMessage } from './host/parent-messages.ts';
import { createProcessLauncher } from './launchers/process/process-launcher.ts';
import { createPlatformRegistry } from './platform-registry.ts';
import type { Offer } from './platforms/metatrader/edition.ts';
import { findNetworkFileMistake, SandboxEdition } from './platforms/metatrader/editions/sandbox/sandbox-edition.ts';
import { ServerTransport } from './server/server-transport.ts';

const toPath = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

const manifest = JSON.parse(readFileSync(toPath('../package.json'), 'utf8')) as { version: string };

const defaultDirectory = toPath('../../../data/agent');

const windowsDist = toPath('../../windows/dist');

const linkSource = toPath('../../link/src');

/** A look costs one call of the system for each terminal that runs. */
const ACCOUNT_LOOK_MS = 250;

const [command, ...args] = process.argv.slice(2);
if (isCommandName(command)) {
  const { commands } = await import('./commands/commands.ts');
  const { LauncherError } = await import('./launchers/launcher.ts');
  const defaults = { directory: defaultDirectory, windowsDist, linkSource, version: manifest.version };
  await runProcessCommand({
    name: `script/agent ${command}`,
    command: await commands[command](),
    args,
    environment: process.env,
    readSettings: () => readHostSettings(process.env, defaults),
    expected: [LauncherError],
  });
}
refuseArguments(usage, process.argv.slice(2));
if (!Object.keys(process.env).some((name) => name.startsWith('BERTH_'))) {
  process.stdout.write(usage);
  process.exit(EXIT.misused);
}

const readConfigOrFail = (): AgentConfig => {
  try {
    return readConfig(process.env, {
      directory: defaultDirectory,
      sandboxDist: toPath('../../sandbox/dist'),
      windowsDist,
    });
  } catch (error) {
    return fail(error);
  }
};

const config = readConfigOrFail();
// Child processes must not inherit the token.
delete process.env.BERTH_JOIN_TOKEN;
const log = createLogger({ name: 'agent', level: config.logLevel, destination: 2 });
const hasParent = process.send !== undefined;
const joinTokens = new Promise<Record<string, string>>((resolve) => {
  if (!hasParent) resolve({});
  process.on('message', (message) => {
    const parsed = toParentMessage(message);
    if (parsed && 'joinTokens' in parsed) resolve(parsed.joinTokens);
  });
});

const { serverUrl, directory, hosts, slots, sandbox, timePercent } = config;
// The parent starts the broker itself, at the same time.
const mistake = hasParent ? undefined : await findNetworkFileMistake(sandbox.networkFile);
if (mistake !== undefined && config.offers.some(({ platform }) => platform === 'sandbox')) {
  fail(new ConfigError([`BERTH_SANDBOX_NETWORK: ${mistake}`]));
}
const { version } = manifest;
// Terminals write their journals in local time, which must be ours, whatever format TZ has.
const { TZ } = process.env;
const environment: Record<string, string> = TZ === undefined ? {} : { TZ };
// All hosts of the process fill their boxes from the same bases.
const baseFolder = join(directory, 'base');
// Launchers that no host uses are not loaded.
const launchers = {
  process: async () => createProcessLauncher(),
  wine: async () => {
    const { createWineLauncher } = await import('./launchers/wine/wine-launcher.ts');
    const launcher = createWineLauncher({ settings: config.wine, folder: join(directory, 'wine'), log });
    const { sweepDrafts } = await import('./bases/drafts.ts');
    // A killed preparation may have left a running box.
    await sweepDrafts(config.basesFolder, ({ folder }) => launcher.remove(launcher.toBox(folder))).catch(
      (error: unknown) => log.warn({ err: error }, 'what an interrupted preparation of a base left cannot be removed'),
    );
    return launcher;
  },
};
if (config.offers.some(({ launcher }) => launcher === 'wine') && config.wine.isolation === 'none') {
  log.warn(
    'terminals under Wine run without a box: they can read and do whatever this user can (BERTH_AGENT_ISOLATION)',
  );
}
const createRealEdition = async (name: 'mt5' | 'mt4') => {
  const { RealEdition, realPrograms } = await import('./platforms/metatrader/editions/real/real-edition.ts');
  const { openPlatformBases } = await import('./bases/bases.ts');
  const bases = openPlatformBases(config.basesFolder, name);
  return new RealEdition({ program: realPrograms[name], bases, environment, timing: config.waits });
};
const editions = {
  sandbox: async () => new SandboxEdition({ ...sandbox, environment, baseFolder, timing: config.waits }),
  mt5: () => createRealEdition('mt5'),
  mt4: () => createRealEdition('mt4'),
};
const offers = await Promise.all(
  config.offers.map(async ({ platform, launcher }): Promise<Offer> => ({
    edition: await editions[platform](),
    launcher: await launchers[launcher](),
  })),
);
const group = startHostGroup({
  names: hosts,
  directory,
  transport: new ServerTransport({ serverUrl, version }),
  createRegistry: (folder, hostLog) => createPlatformRegistry({ folder, offers, log: hostLog }),
  findJoinToken: async (name) => config.joinToken ?? (await joinTokens)[name],
  slots,
  heartbeatMs: HEARTBEAT_MS,
  sampleMs: SAMPLE_MS,
  chartMs: CHART_MS,
  accountMs: ACCOUNT_LOOK_MS,
  timePercent,
  version,
  timing: systemTiming,
  log,
});

let signals = 0;
const onSignal = (signal: NodeJS.Signals): void => {
  signals += 1;
  if (signals > 1) process.exit(1);
  log.info({ signal }, 'the agent ends; its terminals live on');
  group.stop('detach');
};
process.on('SIGTERM', onSignal);
process.on('SIGINT', onSignal);
process.on('message', (message) => {
  const parsed = toParentMessage(message);
  if (!parsed || !('stop' in parsed)) return;
  log.info('the agent ends and stops its terminals');
  group.stop('stop terminals');
});
const onOrphaned = (): void => {
  log.warn('the parent process is gone; the agent ends, its terminals live on');
  group.stop('detach');
};
process.on('disconnect', onOrphaned);
// The parent may have ended before we listened for that.
if (hasParent && !process.connected) onOrphaned();

const isOrderly = await group.done;
process.exit(isOrderly ? 0 : 1);
