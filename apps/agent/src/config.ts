import { join } from 'node:path';
import { EnvReader, type Environment } from '@berth/kit';
import { listCommandLines } from './commands/command-names.ts';
import type { HostSettings } from './commands/host-command.ts';
import { readWineSettings, type WineSettings } from './launchers/wine/settings.ts';

export interface AgentConfig {
  serverUrl: string;
  /** Holds one folder for each host. */
  directory: string;
  /** Names of the hosts that this process runs; each is also the name of the host's folder. */
  hosts: string[];
  /** For a single host that is not enrolled yet. */
  joinToken: string | undefined;
  /** What this machine runs, and how. */
  offers: ConfiguredOffer[];
  sandbox: { networkFile: string; programFolder: string };
  /** Holds the bases that real terminals are copied from. */
  basesFolder: string;
  wine: WineSettings;
  /** Overrides by the operator of what the terminals' editions allow. */
  waits: { linkHoldMs?: number; expertSettleMs?: number };
  /** Attempts that a host may run at once. */
  slots: number;
  logLevel: (typeof logLevels)[number];
  /** The share of the usual intervals after which a host reports and retries, like its server's. */
  timePercent: number;
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Which platforms the agent can run, and the launcher of each. */
const launcherOf = { sandbox: 'process', mt5: 'wine', mt4: 'wine' } as const;

export interface ConfiguredOffer {
  platform: keyof typeof launcherOf;
  launcher: (typeof launcherOf)[keyof typeof launcherOf];
}

/** A name becomes a folder. */
const HOST_NAME = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/;

export const usage = `Usage: script/agent [COMMAND]

Commands of a host, each with --help:

${listCommandLines().join('\n')}

Without one, it makes this machine a host of terminals. An operator creates a join token (POST
/v1/operator/join-tokens); the first start trades it for a credential of its own, which is kept in the agent's folder.
Settings, by environment:

  BERTH_SERVER_URL       address of the server, required
  BERTH_JOIN_TOKEN       one-time token, needed at the first start only
  BERTH_AGENT_DIR        folder of the agent: credentials, journals, terminals (data/agent)
  BERTH_AGENT_BASES      folder of the bases that terminals are copied from (bases in BERTH_AGENT_DIR)
  BERTH_AGENT_HOSTS      hosts in this process, as JSON ([{"name":"host"}])
  BERTH_AGENT_PLATFORMS  what this machine runs, comma-separated, each by itself or with the launcher it runs through
                         (sandbox:process): sandbox as plain processes, mt5 and mt4 under Wine (sandbox)
  BERTH_AGENT_ISOLATION  full, or none for terminals under Wine that nothing keeps from this machine (full)
  BERTH_AGENT_SLOTS      tasks of one host at the same time, 1 to 1000 (64)
  BERTH_AGENT_LINK_HOLD_S     seconds for which a lost link to a broker is not reported, 0 to 300 (15)
  BERTH_AGENT_EXPERT_WATCH_S  seconds for which a loaded expert is watched before it counts as installed,
                              1 to 600 (337: a missing symbol shows after five minutes;
                              at most 30 once it has written to its log)
  BERTH_SANDBOX_NETWORK  file in which the sandbox trading server states its address
  BERTH_SANDBOX_DIST     folder of the sandbox's programs
  BERTH_LOG_LEVEL        fatal, error, warn, info, debug, trace or silent (info)

HTTPS_PROXY, HTTP_PROXY and NO_PROXY are honoured, and NODE_EXTRA_CA_CERTS=/path/to/ca.pem for a certificate of your own.
`;

const readHosts = (env: EnvReader): string[] => {
  const name = 'BERTH_AGENT_HOSTS';
  let value: unknown;
  try {
    value = JSON.parse(env.text(name) ?? '[{"name":"host"}]');
  } catch {
    env.reject(name, 'must be JSON');
    return [];
  }
  const items: unknown[] = Array.isArray(value) ? value : [];
  const names = items.map((item) => (item as { name?: unknown } | null)?.name);
  const valid = names.filter((item): item is string => typeof item === 'string' && HOST_NAME.test(item));
  if (valid.length === 0 || valid.length < names.length) {
    env.reject(name, 'must be a JSON array like [{"name":"host"}], names of letters, digits, ".", "_" and "-"');
  }
  if (new Set(valid).size < valid.length) env.reject(name, 'must not name a host twice');
  return valid;
};

const isPlatform = (name: string): name is ConfiguredOffer['platform'] => Object.hasOwn(launcherOf, name);

/** @param text a platform, or `platform:launcher` */
const findOffer = (text: string): ConfiguredOffer | undefined => {
  const [platform = '', ...named] = text.trim().split(':');
  if (!isPlatform(platform)) return undefined;
  const launcher = launcherOf[platform];
  return named.length === 0 || named.join(':') === launcher ? { platform, launcher } : undefined;
};

const readOffers = (env: EnvReader): ConfiguredOffer[] => {
  const texts = (env.text('BERTH_AGENT_PLATFORMS') ?? 'sandbox').split(',');
  const offers = texts.flatMap((text) => findOffer(text) ?? []);
  if (offers.length < texts.length || new Set(offers.map(({ platform }) => platform)).size < offers.length) {
    const known = Object.entries(launcherOf).map(([platform, launcher]) => `${platform}:${launcher}`);
    env.reject('BERTH_AGENT_PLATFORMS', `must list some of ${known.join(', ')}, each platform once`);
  }
  return offers;
};

const readServerUrl = (env: EnvReader): string => {
  if (env.text('BERTH_SERVER_URL') === undefined) env.reject('BERTH_SERVER_URL', 'must be set');
  return env.url('BERTH_SERVER_URL', ['http:', 'https:']) ?? '';
};

const toBasesFolder = (env: EnvReader, directory: string): string =>
  env.text('BERTH_AGENT_BASES') ?? join(directory, 'bases');

const readSeconds = (env: EnvReader, name: string, bounds: { min: number; max: number }): number | undefined =>
  env.text(name) === undefined ? undefined : env.integer(name, { fallback: bounds.min, ...bounds }) * 1_000;

const readWaits = (env: EnvReader): AgentConfig['waits'] => {
  const linkHoldMs = readSeconds(env, 'BERTH_AGENT_LINK_HOLD_S', { min: 0, max: 300 });
  const expertSettleMs = readSeconds(env, 'BERTH_AGENT_EXPERT_WATCH_S', { min: 1, max: 600 });
  return {
    ...(linkHoldMs === undefined ? {} : { linkHoldMs }),
    ...(expertSettleMs === undefined ? {} : { expertSettleMs }),
  };
};

/** The settings that a host's commands use; none is required. Throws a ConfigError that names every mistake. */
export const readHostSettings = (
  environment: Environment,
  defaults: { directory: string; windowsDist: string; linkSource: string; version: string },
): HostSettings => {
  const env = new EnvReader(environment);
  const directory = env.text('BERTH_AGENT_DIR') ?? defaults.directory;
  const wine = readWineSettings(env, defaults);
  const settings: HostSettings = {
    directory,
    basesFolder: toBasesFolder(env, directory),
    serverUrl: env.url('BERTH_SERVER_URL', ['http:', 'https:']),
    hosts: readHosts(env),
    platforms: env
      .text('BERTH_AGENT_PLATFORMS')
      ?.split(',')
      .map((text) => text.trim().split(':')[0] ?? ''),
    wine,
    linkSource: defaults.linkSource,
    sharedFolder: join(directory, 'wine'),
    version: defaults.version,
  };
  env.finish();
  return settings;
};

/**
 * Rejects with a ConfigError that names every mistake. @param defaults folders that depend on the program's location
 */
export const readConfig = (
  environment: Environment,
  defaults: { directory: string; sandboxDist: string; windowsDist: string },
): AgentConfig => {
  const env = new EnvReader(environment);
  const directory = env.text('BERTH_AGENT_DIR') ?? defaults.directory;
  const config: AgentConfig = {
    serverUrl: readServerUrl(env),
    directory,
    hosts: readHosts(env),
    joinToken: env.text('BERTH_JOIN_TOKEN'),
    offers: readOffers(env),
    sandbox: {
      networkFile: env.text('BERTH_SANDBOX_NETWORK') ?? '',
      programFolder: env.text('BERTH_SANDBOX_DIST') ?? defaults.sandboxDist,
    },
    basesFolder: toBasesFolder(env, directory),
    wine: readWineSettings(env, defaults),
    waits: readWaits(env),
    slots: env.integer('BERTH_AGENT_SLOTS', { fallback: 64, min: 1, max: 1000 }),
    logLevel: env.choice('BERTH_LOG_LEVEL', logLevels, 'info'),
    timePercent: env.integer('BERTH_TIME_PERCENT', { fallback: 100, min: 5, max: 100 }),
  };
  if (config.joinToken !== undefined && config.hosts.length > 1) {
    env.reject('BERTH_JOIN_TOKEN', 'enrols one host; start with one host in BERTH_AGENT_HOSTS');
  }
  if (config.offers.some(({ platform }) => platform === 'sandbox') && config.sandbox.networkFile === '') {
    env.reject('BERTH_SANDBOX_NETWORK', 'must be set where the platform "sandbox" is offered');
  }
  env.finish();
  return config;
};
