import { isIP } from 'node:net';
import { platforms, type Platform } from '@berth/contract';
import { EnvReader, type Environment } from '@berth/kit';
import { Cron } from 'croner';
import { splitHosts } from './db/address.ts';
import { toTimes, type Times } from './times.ts';

export interface MailConfig {
  /** `smtp://user:password@host:port`; unset = mails are written to a folder. */
  smtpUrl: string | undefined;
  from: string;
}

export interface OutboundConfig {
  /** Addresses or networks that may be called for users although they are not public. */
  allow: readonly string[];
  /** `http://user:password@host:port`; unset = addresses are called directly. */
  proxyUrl: string | undefined;
}

/** Backups by a schedule. */
export interface BackupPlan {
  /** Absolute, or relative to where the server was started; unset = there are none. */
  folder: string | undefined;
  /** Five fields. */
  cron: string;
  /** IANA name. */
  time_zone: string;
  /** The newest that are kept. */
  keep: number;
}

export interface ServerConfig {
  host: string;
  port: number;
  /** Absolute base of the URLs in answers; unset = taken from the request. */
  publicUrl: string | undefined;
  /** Names, lower case, under which a server on loopback answers besides `localhost` and addresses. */
  serverNames: readonly string[];
  /** Addresses or networks of proxies whose `X-Forwarded-*` headers are believed. */
  trustedProxies: readonly string[];
  dataDir: string;
  /** Unset = embedded PostgreSQL in the data directory. */
  databaseUrl: string | undefined;
  /** Base64 or hex of 32 bytes; unset = a 0600 file in the data directory. */
  secretKey: string | undefined;
  /** Ids of keys that are gone for good: the server starts without them. */
  lostKeys: readonly string[];
  isRegistrationOpen: boolean;
  isRateLimited: boolean;
  /** The minute of the rate limits; tests that send much give it longer. */
  rateWindowMs: number;
  /** Connections at once, of an address that is no trusted proxy. */
  connectionsPerAddress: number;
  hasLocalAgent: boolean;
  logLevel: string;
  mail: MailConfig;
  /** How addresses are called that users chose. */
  outbound: OutboundConfig;
  /** Days after registration in which the welcome offer can be claimed. */
  welcomeDays: number;
  /** Region of terminals created without one; unset = the one with most free capacity. */
  defaultRegion: number | undefined;
  /** Platform of terminals created without one, where the region offers it. */
  defaultPlatform: Platform;
  /** Terminals that a plan allows, by plan number; a missing plan is unlimited. */
  terminalLimits: ReadonlyMap<number, number>;
  /** MiB that the data of a user may come to, by plan number; a missing plan has `DEFAULT_STORAGE_MIB`. */
  storageLimits: ReadonlyMap<number, number>;
  operatorEmail: string;
  /** Hours that a terminal waits for a host before it is given up. */
  placementWaitHours: number;
  /** Days that tasks of living terminals are kept after their end. */
  keepTasksDays: number;
  keepNotificationsDays: number;
  /** Days that rows of the audit log are kept. */
  keepAuditLogDays: number;
  /** Days that samples of quarters of an hour are kept. */
  keepSamplesDays: number;
  backup: BackupPlan;
  times: Times;
}

const RATE_WINDOW_MS = 60_000;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Whether only this machine reaches a server that listens there. */
export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.');

/** `0=10,1=100` → plan 0 may have 10 of them, plan 1 a hundred. */
const readPlanLimits = (env: EnvReader, name: string, unit: string): Map<number, number> => {
  const limits = new Map<number, number>();
  const text = env.text(name);
  for (const part of text?.split(',') ?? []) {
    const match = /^\s*(\d{1,4})=(\d{1,7})\s*$/.exec(part);
    if (match) limits.set(Number(match[1]), Number(match[2]));
    else env.reject(name, `must look like 0=10,1=100 (plan=${unit}), not "${text}"`);
  }
  return limits;
};

const isNetwork = (text: string): boolean => {
  const [address = '', prefix = '0', ...others] = text.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%')) return false;
  return others.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
};

/** `127.0.0.1,10.0.0.0/8` */
const readNetworks = (env: EnvReader, name: string): string[] => {
  const text = env.text(name) ?? '';
  const parts = text.split(',').map((part) => part.trim());
  const networks = parts.filter((part) => part !== '');
  if (networks.every(isNetwork)) return networks;
  env.reject(name, `must be addresses or networks like 127.0.0.1,10.0.0.0/8, not "${text}"`);
  return [];
};

/** `http://user:password@proxy.lan:3128`; it may hold a password, and is not repeated. */
const readOutboundProxy = (env: EnvReader): string | undefined => {
  const text = env.text('BERTH_OUTBOUND_PROXY');
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' && url.pathname + url.search + url.hash === '/') return text;
  env.reject('BERTH_OUTBOUND_PROXY', 'must be the URL of an HTTP proxy like http://proxy.lan:3128, without a path');
  return undefined;
};

/** `berth.lan,berth.home` */
const readServerNames = (env: EnvReader): string[] => {
  const text = env.text('BERTH_SERVER_NAMES') ?? '';
  const parts = text.split(',').map((part) => part.trim().toLowerCase());
  const names = parts.filter((part) => part !== '');
  if (names.every((name) => /^[a-z0-9]([a-z0-9._-]{0,252})$/.test(name))) return names;
  env.reject('BERTH_SERVER_NAMES', `must be names without a port, like berth.lan,berth.home, not "${text}"`);
  return [];
};

const readSecretKey = (env: EnvReader): string | undefined => {
  const text = env.text('BERTH_SECRET_KEY');
  if (text === undefined || /^[0-9a-f]{64}$/i.test(text) || /^[A-Za-z0-9+/]{43}=$/.test(text)) return text;
  env.reject('BERTH_SECRET_KEY', 'must be 32 bytes as 64 hex digits or as base64');
  return undefined;
};

/** `0a1b2c3d,4e5f6071` */
const readLostKeys = (env: EnvReader): string[] => {
  const ids = (env.text('BERTH_LOST_KEYS') ?? '').split(',').map((id) => id.trim().toLowerCase());
  const given = ids.filter((id) => id !== '');
  if (given.every((id) => /^[0-9a-f]{8}$/.test(id))) return given;
  env.reject('BERTH_LOST_KEYS', 'must be ids of keys like 0a1b2c3d,4e5f6071, as the refused start names them');
  return [];
};

/** One URL, or that of a primary and its standbys: `postgres://user@first:5432,second:5432/berth`. */
const readDatabaseUrl = (env: EnvReader): string | undefined => {
  const text = env.text('BERTH_DATABASE_URL');
  const isRight = (url: string) => URL.canParse(url) && ['postgres:', 'postgresql:'].includes(new URL(url).protocol);
  if (text === undefined || splitHosts(text).every(isRight)) return text;
  env.reject('BERTH_DATABASE_URL', 'must be a URL that starts with postgres:// or postgresql://');
  return undefined;
};

const readBackupPlan = (env: EnvReader): BackupPlan => {
  const folder = env.text('BERTH_BACKUP_DIR');
  const cron = env.text('BERTH_BACKUP_CRON') ?? '0 3 * * *';
  const timezone = env.text('BERTH_BACKUP_TIME_ZONE') ?? 'UTC';
  const keep = env.integer('BERTH_BACKUP_KEEP', { fallback: 7, min: 1, max: 1_000 });
  try {
    if (!new Cron(cron, { timezone, mode: '5-part', paused: true }).nextRun()) throw new Error('it never comes');
  } catch {
    env.reject('BERTH_BACKUP_CRON', `must be five fields like 0 3 * * *, in the zone ${timezone}, not "${cron}"`);
  }
  return { folder, cron, time_zone: timezone, keep };
};

/** @throws ConfigError listing every mistake with the name of its variable */
export const readConfig = (variables: Environment, defaultDataDir: string): ServerConfig => {
  const env = new EnvReader(variables);
  const host = env.text('BERTH_HOST') ?? '127.0.0.1';
  const publicUrl = env.url('BERTH_PUBLIC_URL', ['http:', 'https:'])?.replace(/\/+$/, '');
  const databaseUrl = readDatabaseUrl(env);
  const registration = env.choice('BERTH_REGISTRATION', ['open', 'closed'], undefined);
  const localAgent = env.choice('BERTH_LOCAL_AGENT', ['on', 'off'], databaseUrl ? 'off' : 'on');
  const defaultRegion = env.integer('BERTH_DEFAULT_REGION', { fallback: -1, min: 0, max: 1_000_000 });
  const config: ServerConfig = {
    host,
    port: env.integer('BERTH_PORT', { fallback: 4000, min: 0, max: 65_535 }),
    publicUrl,
    serverNames: readServerNames(env),
    trustedProxies: readNetworks(env, 'BERTH_TRUSTED_PROXIES'),
    dataDir: env.text('BERTH_DATA_DIR') ?? defaultDataDir,
    databaseUrl,
    secretKey: readSecretKey(env),
    lostKeys: readLostKeys(env),
    // Behind a proxy the server listens on loopback too, and everybody reaches it.
    isRegistrationOpen: registration ? registration === 'open' : isLoopback(host) && publicUrl === undefined,
    connectionsPerAddress: env.integer('BERTH_ADDRESS_CONNECTIONS', { fallback: 32_000, min: 1, max: 100_000 }),
    isRateLimited: env.choice('BERTH_RATE_LIMIT', ['on', 'off'], 'on') === 'on',
    rateWindowMs: RATE_WINDOW_MS,
    hasLocalAgent: localAgent === 'on',
    logLevel: env.choice('BERTH_LOG_LEVEL', LOG_LEVELS, 'info'),
    mail: {
      smtpUrl: env.url('BERTH_SMTP_URL', ['smtp:', 'smtps:']),
      from: env.text('BERTH_MAIL_FROM') ?? 'Berth <berth@localhost>',
    },
    outbound: { allow: readNetworks(env, 'BERTH_OUTBOUND_ALLOW'), proxyUrl: readOutboundProxy(env) },
    welcomeDays: env.integer('BERTH_WELCOME_DAYS', { fallback: 7, min: 0, max: 365 }),
    defaultRegion: defaultRegion === -1 ? undefined : defaultRegion,
    defaultPlatform: env.choice('BERTH_DEFAULT_PLATFORM', platforms, localAgent === 'on' ? 'sandbox' : 'mt5'),
    terminalLimits: readPlanLimits(env, 'BERTH_TERMINAL_LIMITS', 'terminals'),
    storageLimits: readPlanLimits(env, 'BERTH_STORAGE_LIMITS', 'MiB'),
    placementWaitHours: env.integer('BERTH_PLACEMENT_HOURS', { fallback: 24, min: 1, max: 87_600 }),
    keepTasksDays: env.integer('BERTH_KEEP_TASKS_DAYS', { fallback: 90, min: 1, max: 36_500 }),
    keepNotificationsDays: env.integer('BERTH_KEEP_NOTIFICATIONS_DAYS', { fallback: 90, min: 1, max: 36_500 }),
    keepAuditLogDays: env.integer('BERTH_KEEP_AUDIT_LOG_DAYS', { fallback: 365, min: 1, max: 36_500 }),
    keepSamplesDays: env.integer('BERTH_KEEP_SAMPLES_DAYS', { fallback: 30, min: 30, max: 3_650 }),
    operatorEmail: env.text('BERTH_OPERATOR_EMAIL') ?? 'operator@berth.local',
    backup: readBackupPlan(env),
    times: toTimes(env.integer('BERTH_TIME_PERCENT', { fallback: 100, min: 5, max: 100 })),
  };
  env.finish();
  return config;
};
