/**
 * One host's agent: enrolled → terminals found → session → loops → stopped. A process may run several, which share nothing.
 *
 * Ending: by `stop` (attempts may finish, reports are flushed, terminals live on or are stopped), or by a fatal answer of the
 * server. A revoked credential means that the host was declared dead and its terminals run elsewhere, so they are stopped
 * here; a superseded session means that another agent keeps them, so they are left alone.
 */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_CLAIM_WAIT_MS, MAX_REPORT_EVENTS, TaskType } from '@berth/contract';
import { Lifecycle, type Logger } from '@berth/kit';
import { AttemptRunner } from './attempt-runner.ts';
import type { HostCredential } from './enrolment.ts';
import { lockHost } from './host-lock.ts';
import { enrolAnew, ensureCredential, reattachInstalled, reconcile } from './host-start.ts';
import { Journal } from './journal.ts';
import { runClaimLoop } from './loops/claim.ts';
import { runHeartbeatLoop } from './loops/heartbeat.ts';
import { runReportLoop } from './loops/report.ts';
import { runSuperviseLoop } from './loops/supervise.ts';
import { OutcomeSeal } from './outcome-seal.ts';
import type { PlatformRegistry } from './platforms/driver.ts';
import { repeatUntilAnswered } from './repeat-call.ts';
import { ReportOutbox } from './report-outbox.ts';
import { isRevoked } from './server-error.ts';
import { ServerConnection, type ServerTransport } from './server-connection.ts';
import { TerminalKeeper } from './terminal-keeper.ts';
import { TerminalObservations } from './terminal-observations.ts';
import { untilAborted, type Timing } from './timing.ts';

/** How long attempts may go on when the agent is told to stop. */
const DRAIN_MS = 10_000;
/** How long the last reports are waited for; what is not delivered stands in the journal. */
const FLUSH_MS = 2_000;
const FLUSH_POLL_MS = 20;

export interface HostOptions {
  name: string;
  /** The host's own folder: credential and journal. Created when absent. */
  folder: string;
  transport: ServerTransport;
  registry: PlatformRegistry;
  findJoinToken: () => Promise<string | undefined>;
  /** Attempts that may be in hand at once. */
  slots: number;
  heartbeatMs: number;
  version: string;
  timing: Timing;
  log: Logger;
}

export type StopMode = 'detach' | 'stop terminals';

export interface HostAgent {
  /** Settles when the host has ended; rejects with what a person should read when the end was not asked for. */
  readonly done: Promise<void>;
  /** Asks the host to end; `done` tells when it has. */
  stop(mode: StopMode): void;
}

/** Starts a host; it comes up in its own time and keeps trying while the server is away. */
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
    const repeat = { signal: stopping, timing, log };
    const credential = await ensureCredential(options, repeat);
    if (!credential || (await serve(options, credential, stopping, getMode)) !== 'unknown') return;
    const renewed = await enrolAnew(options, repeat);
    if (renewed && (await serve(options, renewed, stopping, getMode)) === 'unknown') {
      throw new Error(`The server does not know the host "${options.name}", which it enrolled just now.`);
    }
  } finally {
    await lifecycle.close();
  }
};

/**
 * Serves under this credential until the end.
 * @returns 'unknown' when the server refused the credential before anything began and there is a join token to enrol with:
 * the server's database was made anew, or the operator retired the host and starts it again
 */
const serve = async (
  options: HostOptions,
  credential: HostCredential,
  stopping: AbortSignal,
  getMode: () => StopMode,
): Promise<'ended' | 'unknown'> => {
  const lifecycle = new Lifecycle();
  const host = new Host(options, credential, lifecycle);
  try {
    await host.run(stopping, getMode);
    return 'ended';
  } catch (error) {
    if (!host.isUnknown || !(await Promise.race([options.findJoinToken(), untilAborted(stopping)]))) throw error;
    return 'unknown';
  } finally {
    await lifecycle.close();
  }
};

class Host {
  readonly #options: HostOptions;
  readonly #credential: HostCredential;
  readonly #lifecycle: Lifecycle;
  readonly #seal: OutcomeSeal;
  readonly #server: ServerConnection;
  readonly #outbox = new ReportOutbox();
  readonly #observations: TerminalObservations;
  readonly #keeper: TerminalKeeper;
  #isInService = false;
  #isRevoked = false;

  constructor(options: HostOptions, credential: HostCredential, lifecycle: Lifecycle) {
    const { transport, registry, version, timing, log } = options;
    this.#options = options;
    this.#credential = credential;
    this.#lifecycle = lifecycle;
    this.#seal = new OutcomeSeal(credential.credential);
    const session = { bearer: credential.credential, sessionId: randomUUID(), version, platforms: registry.platforms };
    this.#server = new ServerConnection({ transport, ...session });
    this.#observations = new TerminalObservations(this.#outbox, timing.clock);
    const onObservation = this.#observations.report.bind(this.#observations);
    this.#keeper = new TerminalKeeper({ registry, onObservation, log });
  }

  /** The server refused the credential before the host came into service. */
  get isUnknown(): boolean {
    return this.#isRevoked && !this.#isInService;
  }

  async run(stopping: AbortSignal, getMode: () => StopMode): Promise<void> {
    const { folder, registry, timing, log } = this.#options;
    const journal = await Journal.open({ path: join(folder, 'journal') });
    this.#lifecycle.onClose('journal', () => journal.close());
    this.#lifecycle.onClose('terminals', () => this.#keeper.detachAll());
    if (journal.droppedLines > 0) log.warn({ lines: journal.droppedLines }, 'the journal had torn lines');
    const installed = await reattachInstalled(registry, this.#keeper, log);
    const repeat = { signal: stopping, timing, log };
    try {
      const wanted = await repeatUntilAnswered(() => this.#server.startSession(stopping), repeat);
      if (wanted) {
        this.#isInService = true;
        const runner = this.#createRunner(journal);
        const now = () => timing.clock.now();
        await reconcile({ installed, wanted }, { journal, keeper: this.#keeper, runner, seal: this.#seal, now, log });
        log.info({ host_id: this.#credential.hostId, terminals: wanted.length }, 'the host is in service');
        await this.#work(runner, stopping, getMode);
      } else if (getMode() === 'stop terminals') {
        await this.#keeper.stopAll();
      }
    } catch (error) {
      this.#isRevoked = isRevoked(error);
      if (this.#isRevoked) await this.#keeper.stopAll();
      throw toFatalError(error, this.#options);
    }
  }

  #createRunner(journal: Journal): AttemptRunner {
    const { slots, timing, log } = this.#options;
    const parts = { journal, keeper: this.#keeper, outbox: this.#outbox, seal: this.#seal, server: this.#server };
    return new AttemptRunner({
      ...parts,
      slots,
      timing,
      log,
      onCarriedOut: ({ type, terminal }, { kind }) => {
        if (type !== TaskType.TERMINAL_DESTROY || kind !== 'completed') return;
        this.#keeper.drop(terminal.id);
        this.#observations.forget(terminal.id);
      },
    });
  }

  /** Runs the loops until the agent is told to stop, or one of them meets a fatal answer, with which it rejects. */
  async #work(runner: AttemptRunner, stopping: AbortSignal, getMode: () => StopMode): Promise<void> {
    const { heartbeatMs, timing, log } = this.#options;
    const [server, outbox, keeper, observations] = [this.#server, this.#outbox, this.#keeper, this.#observations];
    const shared = { server, runner, outbox, keeper, observations, timing, log };
    const ending = { claim: new AbortController(), supervise: new AbortController(), rest: new AbortController() };
    const end = (reason: keyof typeof ending) => ending[reason].abort();
    const onResync = () => observations.reportAll(keeper.list(), true);
    const loops = {
      claim: runClaimLoop({ ...shared, waitMs: MAX_CLAIM_WAIT_MS }, ending.claim.signal),
      supervise: runSuperviseLoop(shared, ending.supervise.signal),
      heartbeat: runHeartbeatLoop({ ...shared, intervalMs: heartbeatMs, onResync }, ending.rest.signal),
      report: runReportLoop({ ...shared, maxEvents: MAX_REPORT_EVENTS }, ending.rest.signal),
    };
    const all = Promise.all(Object.values(loops));
    try {
      await Promise.race([all, untilAborted(stopping)]);
      end('claim');
      await loops.claim;
      await Promise.race([all, runner.drain(DRAIN_MS)]);
      end('supervise');
      if (getMode() === 'stop terminals') await keeper.stopAll();
      await Promise.race([all, this.#flush()]);
      end('rest');
      await all;
    } finally {
      end('claim');
      end('supervise');
      end('rest');
      await runner.drain(0);
      await Promise.allSettled(Object.values(loops));
    }
  }

  async #flush(): Promise<void> {
    const { timing } = this.#options;
    const untilMs = timing.clock.now() + FLUSH_MS;
    while (!this.#outbox.isEmpty && timing.clock.now() < untilMs) await timing.sleep(FLUSH_POLL_MS);
  }
}

/** What a person should read when the server ends a host's service. */
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
