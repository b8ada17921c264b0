/**
 * One host's agent: enrolled → terminals found → session → loops → stopped. A process may run several, which share
 * nothing.
 *
 * Ending: by `stop` (attempts may finish, reports are flushed, terminals live on or are stopped), or by a fatal answer
 * from the server. A revoked credential means that the host was declared dead and its terminals run elsewhere, so they
 * are stopped here; a superseded session means that another agent keeps them, so they are left alone.
 */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Lifecycle, type Logger, type Timing, toPaced, untilAborted } from '@berth/kit';
import { AttemptJournal } from '../attempts/attempt-journal.ts';
import { openEvidenceStore } from '../risk/evidence/evidence-store.ts';
import { openRiskStore } from '../risk/risk-store.ts';
import type { PlatformRegistry } from '../platforms/driver.ts';
import { ServerConnection } from '../server/server-connection.ts';
import { isRevoked } from '../server/server-error.ts';
import type { Transport } from '../server/server-transport.ts';
import { OutcomeSeal } from '../attempts/attempt-end.ts';
import type { HostCredential } from './enrolment.ts';
import { FactReporter, readMachine, toHostFacts } from './facts.ts';
import { lockHost } from './host-lock.ts';
import { HostService, type StopMode } from './host-service.ts';
import { enrolAnew, ensureCredential } from './host-start.ts';

export type { StopMode };

export interface HostOptions {
  name: string;
  /** The host's own folder: credential and journal. Created when absent. */
  folder: string;
  transport: Transport;
  registry: PlatformRegistry;
  findJoinToken: () => Promise<string | undefined>;
  /** Attempts that may run at once. */
  slots: number;
  heartbeatMs: number;
  /** How often terminals are measured. */
  sampleMs: number;
  /** How often to check whether charts have to be reported. */
  chartMs: number;
  /** How often to look at the accounts of terminals. */
  accountMs: number;
  /** The share of its usual pauses: 100 in production. */
  timePercent?: number;
  /** How long attempts may go on after it is asked to stop. */
  drainMs?: number;
  /** Hosts that share this machine's memory. */
  hosts: number;
  version: string;
  timing: Timing;
  log: Logger;
}

export interface HostAgent {
  /** Settles when the host has ended; rejects with an error for a person when the end was not requested. */
  readonly done: Promise<void>;
  /** Asks the host to end; `done` settles when it has. */
  stop(mode: StopMode): void;
}

/** Starts a host; it comes up in its own time and keeps trying while the server is down. */
export const startHostAgent = (options: HostOptions): HostAgent => {
  const stopping = new AbortController();
  let mode: StopMode = 'detach';
  const done = runHost(options, stopping.signal, () => mode);
  return {
    done,
    stop: (wanted) => {
      mode = wanted;
      stopping.abort();
    },
  };
};

const runHost = async (options: HostOptions, stopping: AbortSignal, getMode: () => StopMode): Promise<void> => {
  const { folder, timing, log } = options;
  const lifecycle = new Lifecycle();
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const onWait = () => log.warn('another agent still works for this host; waiting for it to end');
    const unlock = await lockHost(folder, { timing, onWait }, stopping);
    if (!unlock) return;
    lifecycle.onClose('lock', unlock);
    const repeat = { signal: stopping, timing: toPaced(timing, options.timePercent ?? 100), log };
    const facts = createFactReporter(options);
    const credential = await ensureCredential({ ...options, facts }, repeat);
    if (!credential || (await serve(options, { credential, facts }, stopping, getMode)) !== 'unknown') return;
    const renewed = await enrolAnew({ ...options, facts }, repeat);
    if (renewed && (await serve(options, { credential: renewed, facts }, stopping, getMode)) === 'unknown') {
      throw new Error(`The server does not know the host "${options.name}", which it enrolled just now.`);
    }
  } finally {
    await lifecycle.close();
  }
};

const createFactReporter = ({ folder, registry, hosts, log }: HostOptions): FactReporter =>
  new FactReporter(async () => toHostFacts(await readMachine(folder), (await registry.describe?.()) ?? [], hosts), log);

interface Identity {
  credential: HostCredential;
  facts: FactReporter;
}

/**
 * Serves with this credential until the end.
 * @returns 'unknown' when the server refused the credential before anything began and there is a join token to enrol
 *   with: the server's database was recreated, or the operator retired the host and starts it again
 */
const serve = async (
  options: HostOptions,
  identity: Identity,
  stopping: AbortSignal,
  getMode: () => StopMode,
): Promise<'ended' | 'unknown'> => {
  const lifecycle = new Lifecycle();
  const host = createService(options, identity, lifecycle);
  try {
    await host.run(stopping, getMode);
    return 'ended';
  } catch (error) {
    const isRenewable = host.isUnknown && (await Promise.race([options.findJoinToken(), untilAborted(stopping)]));
    if (!isRenewable) throw toFatalError(error, options);
    return 'unknown';
  } finally {
    await lifecycle.close();
  }
};

const createService = (options: HostOptions, { credential, facts }: Identity, lifecycle: Lifecycle): HostService => {
  const { folder, transport, registry, version, timePercent = 100 } = options;
  const session = { bearer: credential.credential, sessionId: randomUUID(), version, platforms: registry.platforms };
  const service = {
    server: new ServerConnection({ transport, ...session, timePercent }),
    openJournal: () => AttemptJournal.open({ path: join(folder, 'journal') }),
    openRiskStore: () => openRiskStore(join(folder, 'risk')),
    openEvidenceStore: () => openEvidenceStore(join(folder, 'risk-evidence')),
    version,
    seal: new OutcomeSeal(credential.credential),
    log: options.log.child({ host_id: credential.hostId }),
  };
  const { slots, heartbeatMs, sampleMs, chartMs, accountMs, drainMs, timing } = options;
  const pauses = { heartbeatMs, sampleMs, chartMs, accountMs, timePercent, drainMs, timing };
  return new HostService({ ...service, registry, slots, facts, ...pauses }, lifecycle);
};

/** The error for a person when the server ends a host's service. */
const toFatalError = (cause: unknown, { name, folder }: HostOptions): unknown => {
  const code = (cause as { code?: unknown }).code;
  if (code === 'session_superseded') {
    return new Error(`Another agent has taken over the host "${name}"; this one ends. Its terminals run on.`, {
      cause,
    });
  }
  if (!isRevoked(cause)) return cause;
  const text = `The server does not know the credential of the host "${name}" (any more). Its terminals were stopped.`;
  const advice = `To enrol the host anew, remove ${join(folder, 'credential.json')} and start with a new join token.`;
  return new Error(`${text} ${advice}`, { cause });
};
