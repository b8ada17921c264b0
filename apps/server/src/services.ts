/** The composition root: what the server is made of, wired by hand, in the order of dependence. */
import { setMaxListeners } from 'node:events';
import { systemClock, FairSemaphore, type Clock, type Lifecycle, type Logger } from '@berth/kit';
import { Passwords } from './accounts/passwords.ts';
import type { ServerConfig } from './config.ts';
import type { PostgresAddress } from './db/address.ts';
import { Database } from './db/database.ts';
import { Listener } from './db/listener.ts';
import { LiveEvents } from './events/live-events.ts';
import { HostNews } from './hosts/host-news.ts';
import { HostWakeups } from './hosts/wakeups.ts';
import { createMailer, toMailFolder, type Mailer } from './mail/mailer.ts';
import { withState } from './mail/state.ts';
import { Metrics } from './metrics/metrics.ts';
import { Outbound } from './outbound/outbound.ts';
import { Regions } from './regions/regions.ts';
import { Thumbnails } from './screenshots/thumbnails.ts';
import { StorageBudget } from './storage/budget.ts';
import { SchedulerPulse } from './scheduler/pulse.ts';
import { openVault } from './secrets/open-vault.ts';
import type { Vault } from './secrets/vault.ts';
import { TaskClaims } from './tasks/claims.ts';
import { TaskEnds } from './tasks/ends.ts';
import { TaskInbox } from './tasks/inbox.ts';
import { TaskSegments } from './tasks/segments.ts';
import { Identities } from './tokens/callers.ts';
import type { Times } from './times.ts';
import { TokenUse } from './tokens/token-use.ts';

/** Writing a large file holds a connection for a second or so: the others are for everybody else, and one of these too. */
const UPLOADS = { places: 3, perOwner: 2, maxWaiting: 100 };

/** Each computes for seconds. */
const TRIALS = { places: 1, perOwner: 1, maxWaiting: 2 };

/** More than webhooks call at once, so that what a page asks for has a place. */
const OUTBOUND = { total: 300 };

/** What everything else is built on. */
export interface CoreServices {
  config: ServerConfig;
  times: Times;
  clock: Clock;
  log: Logger;
  db: Database;
  vault: Vault;
}

/** What creates, hands out and ends tasks. */
export interface TaskServices {
  ends: TaskEnds;
  wakeups: HostWakeups;
  /** What hosts are told besides tasks. */
  hostNews: HostNews;
  inbox: TaskInbox;
  claims: TaskClaims;
  taskSegments: TaskSegments;
  /** What users may store. */
  storage: StorageBudget;
}

/** What finds out who calls. */
export interface IdentityServices {
  identities: Identities;
  tokenUse: TokenUse;
}

/** What some routes for users need besides. */
export interface RouteServices {
  passwords: Passwords;
  mailer: Mailer;
  regions: Regions;
  /** Files that are written. */
  uploads: FairSemaphore;
  /** Risk rules that are tried on the past. */
  trials: FairSemaphore;
  thumbnails: Thumbnails;
  events: LiveEvents;
  /** Calls addresses that users chose. */
  outbound: Outbound;
}

/** What tells how this process is, and when it stops. */
export interface ProcessServices {
  metrics: Metrics;
  pulse: SchedulerPulse;
  /** Aborted when a stop begins: users' changes are refused, while agents may still report what they finish. */
  draining: AbortController;
  /** Aborts after that: long polls end, loops leave. */
  stopping: AbortSignal;
}

/** All of them. Only what registers routes or starts the server takes this; others name what they need. */
export interface Services extends CoreServices, TaskServices, IdentityServices, RouteServices, ProcessServices {}

/** Opens everything but the HTTP listener; each resource is closed by the lifecycle, last opened first. */
export const createServices = async (
  config: ServerConfig,
  address: PostgresAddress,
  log: Logger,
  lifecycle: Lifecycle,
  stopping: AbortSignal,
): Promise<Services> => {
  // Each loop and each call under way listens for the stop.
  setMaxListeners(0, stopping);
  const db = new Database({ address, log, idleInTransactionMs: config.times.idleInTransactionMs });
  lifecycle.onClose('database', () => db.close());
  const taskSegments = new TaskSegments({ db, log, stopping });
  lifecycle.onClose('task segments', () => taskSegments.settled());
  const vault = await openVault(db, config);
  const tokenUse = new TokenUse(db, systemClock, log);
  lifecycle.onClose('token use', () => tokenUse.flush());
  const identities = new Identities(db);
  const listener = new Listener(address, log, config.times);
  const wakeups = new HostWakeups(listener, db, log);
  const hostNews = new HostNews(listener);
  const events = new LiveEvents({ listener, db, identities, log, times: config.times });
  await listener.start();
  lifecycle.onClose('listener', () => listener.stop());
  const draining = new AbortController();
  // Who watches is told to go to another server at once; hosts may wait until the end for what they get.
  draining.signal.addEventListener('abort', () => events.closeAll(), { once: true });
  stopping.addEventListener('abort', () => [events.closeAll(), wakeups.wakeAll()], { once: true });
  const metrics = new Metrics(db, log);
  const ends = new TaskEnds(metrics, systemClock);
  const claims = new TaskClaims(db, { vault, log, times: config.times });
  const { allow, proxyUrl } = config.outbound;
  const proxy = proxyUrl === undefined ? undefined : new URL(proxyUrl);
  const outbound = new Outbound({ allow, proxy, limits: OUTBOUND });
  lifecycle.onClose('outbound calls', () => outbound.close());
  return {
    config,
    times: config.times,
    clock: systemClock,
    log,
    db,
    vault,
    passwords: new Passwords(),
    mailer: withState(createMailer(config.mail, toMailFolder(config), log), db, log),
    metrics,
    ends,
    regions: new Regions(db, systemClock),
    identities,
    tokenUse,
    wakeups,
    hostNews,
    inbox: new TaskInbox({ db, vault, wakeups, claims, ends, clock: systemClock, log }),
    claims,
    taskSegments,
    storage: new StorageBudget(db, config),
    pulse: new SchedulerPulse(),
    uploads: new FairSemaphore(UPLOADS),
    trials: new FairSemaphore(TRIALS),
    thumbnails: new Thumbnails(db),
    events,
    outbound,
    draining,
    stopping,
  };
};
