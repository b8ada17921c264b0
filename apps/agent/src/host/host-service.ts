/**
 * A host's service: journal → terminals found → session → reconcile → loops → drained. The loops are independent, so
 * that a long task never delays a heartbeat; if one of them ends (a fatal answer), all end.
 *
 * It knows neither HTTP nor the disk: the server's calls, the journal and the clock are injected, so that the same code
 * runs in a simulation.
 */
import { randomUUID } from 'node:crypto';
import { MAX_CLAIM_WAIT_MS, MAX_REPORT_EVENTS, type WantedTerminal } from '@berth/contract/agent';
import { TaskType } from '@berth/contract/values';
import { type Lifecycle, type Logger, type Timing, toPaced, untilAborted } from '@berth/kit';
import { toNumbers } from './risk-numbers.ts';
import { Accounts } from '../account/accounts.ts';
import type { AttemptJournal } from '../attempts/attempt-journal.ts';
import { AttemptRunner } from '../attempts/attempt-runner.ts';
import type { PlatformRegistry } from '../platforms/driver.ts';
import { repeatUntilAnswered } from '../server/repeat-call.ts';
import { ReportOutbox } from '../server/report-outbox.ts';
import type { ServerCalls } from '../server/server-calls.ts';
import { isRevoked } from '../server/server-error.ts';
import { EvidenceRecorder } from '../risk/evidence/evidence-recorder.ts';
import type { EvidenceStore } from '../risk/evidence/evidence-store.ts';
import { RiskGuard } from '../risk/risk-guard.ts';
import type { RiskStore } from '../risk/risk-store.ts';
import { TerminalKeeper } from '../terminals/terminal-keeper.ts';
import { TerminalObservations } from '../terminals/terminal-observations.ts';
import type { OutcomeSeal } from '../attempts/attempt-end.ts';
import { reattachInstalled, reconcile } from './host-start.ts';
import { ChartReporter, runChartLoop } from './loops/charts.ts';
import { LeftTerminals } from './left-terminals.ts';
import { runClaimLoop } from './loops/claim.ts';
import { runHeartbeatLoop } from './loops/heartbeat.ts';
import { RiskRuleReader, runRiskReports } from './loops/risk.ts';
import { runEvidenceReports } from './loops/risk-evidence.ts';
import { runReportLoop } from './loops/report.ts';
import type { FactReporter } from './facts.ts';
import { createRiskActions } from './risk-actions.ts';
import { runSampleLoop } from './loops/samples.ts';
import { SwitchChecks } from './loops/switch-checks.ts';
import { runSuperviseLoop } from './loops/supervise.ts';

/** How long attempts may go on after the agent is asked to stop. */
const DRAIN_MS = 10_000;
/** How long to wait for the last reports; those that are not delivered are in the journal. */
const FLUSH_MS = 2_000;
const FLUSH_POLL_MS = 20;

/** What happens to the terminals when the agent ends on request. */
export type StopMode = 'detach' | 'stop terminals';

export interface HostServiceOptions {
  server: ServerCalls;
  /** Opens the journal of the host's folder; the service closes it. */
  openJournal: () => Promise<AttemptJournal>;
  seal: OutcomeSeal;
  registry: PlatformRegistry;
  /** Attempts that may run at once. */
  slots: number;
  heartbeatMs: number;
  /** What the host reports about its machine; absent: nothing. */
  facts?: FactReporter | undefined;
  /** How often terminals are measured; absent, they are not. */
  sampleMs?: number | undefined;
  /** How often to check whether charts have to be reported; absent: never. */
  chartMs?: number | undefined;
  /** How often to look at the accounts of terminals; absent: never. */
  accountMs?: number | undefined;
  /** Opens what risk rules keep in the host's folder; absent: none are applied. */
  openRiskStore?: (() => Promise<RiskStore>) | undefined;
  /** Opens what is written down of breaches there; absent: nothing is. */
  openEvidenceStore?: (() => Promise<EvidenceStore>) | undefined;
  /** Of the agent. */
  version?: string | undefined;
  /** The share of its usual pauses. Task timeouts are not shortened: terminals are not faster for it. */
  timePercent?: number | undefined;
  /** How long attempts may go on after the agent is asked to stop. */
  drainMs?: number | undefined;
  timing: Timing;
  log: Logger;
}

/** One host in service, from its journal to its last report. The lifecycle closes what `run` opened. */
export class HostService {
  readonly #options: HostServiceOptions;
  readonly #lifecycle: Lifecycle;
  /** For everything that does not belong to a task. */
  readonly #timing: Timing;
  readonly #outbox: ReportOutbox;
  readonly #observations: TerminalObservations;
  readonly #keeper: TerminalKeeper;
  readonly #charts: ChartReporter;
  readonly #accounts: Accounts;
  #guard: RiskGuard | undefined;
  #evidence: EvidenceRecorder | undefined;
  #runner: AttemptRunner | undefined;
  #isInService = false;
  #isRevoked = false;

  constructor(options: HostServiceOptions, lifecycle: Lifecycle) {
    const { registry, log } = options;
    const timing = toPaced(options.timing, options.timePercent ?? 100);
    this.#options = options;
    this.#timing = timing;
    this.#lifecycle = lifecycle;
    this.#outbox = new ReportOutbox(timing);
    this.#observations = new TerminalObservations(this.#outbox, timing.clock);
    this.#keeper = new TerminalKeeper({
      registry,
      onObservation: (id, observation) => {
        this.#observations.report(id, observation);
        this.#charts.noteChange(id);
      },
      timing: options.timing,
      log,
    });
    this.#charts = new ChartReporter({ server: options.server, keeper: this.#keeper, timing, log });
    this.#accounts = new Accounts({ server: options.server, keeper: this.#keeper, timing: options.timing, log });
  }

  /** The server refused the credential before the host started to serve. */
  get isUnknown(): boolean {
    return this.#isRevoked && !this.#isInService;
  }

  /** Serves until it is asked to stop. Rejects with the server's answer when that ends the service. */
  async run(stopping: AbortSignal, getMode: () => StopMode): Promise<void> {
    const { openJournal, seal, registry, log } = this.#options;
    const timing = this.#timing;
    const journal = await openJournal();
    this.#lifecycle.onClose('journal', () => journal.close());
    this.#lifecycle.onClose('outbox', () => this.#outbox.close());
    this.#lifecycle.onClose('terminals', () => this.#keeper.detachAll());
    if (journal.droppedLines > 0) log.warn({ lines: journal.droppedLines }, 'the journal had torn lines');
    const installed = await reattachInstalled(registry, this.#keeper, log);
    await this.#guardTerminals();
    const repeat = { signal: stopping, timing, log };
    try {
      const wanted = await repeatUntilAnswered(() => this.#startSession(stopping), repeat);
      if (wanted) {
        this.#isInService = true;
        const runner = (this.#runner = this.#createRunner(journal));
        const now = () => timing.clock.now();
        await reconcile({ installed, wanted }, { journal, keeper: this.#keeper, runner, seal, now, log });
        log.info({ terminals: wanted.length }, 'the host is in service');
        await this.#work(runner, stopping, getMode);
      } else if (getMode() === 'stop terminals') {
        await this.#keeper.stopAll();
      }
    } catch (error) {
      this.#isRevoked = isRevoked(error);
      if (this.#isRevoked) await this.#keeper.stopAll();
      throw error;
    }
  }

  /** Before the server is reached: accounts are watched and risk rules applied also while it is away. */
  async #guardTerminals(): Promise<void> {
    const { registry, accountMs, openRiskStore, timing, log } = this.#options;
    const [accounts, keeper] = [this.#accounts, this.#keeper];
    const end = new AbortController();
    const running: Promise<void>[] = [];
    this.#lifecycle.onClose('guard', async () => {
      end.abort();
      await Promise.all(running);
    });
    if (accountMs === undefined || accountMs === 0) return;
    const [platform] = registry.platforms;
    if (openRiskStore && platform) {
      const interrupt = (id: string) => this.#runner?.interrupt(id);
      const actions = createRiskActions({ accounts, keeper, interrupt, platform, createId: randomUUID, log });
      const elapsedMs = () => performance.now();
      const store = await openRiskStore();
      const evidence = (this.#evidence = await this.#openEvidence(elapsedMs));
      const guard = await RiskGuard.open({ store, actions, timing, elapsedMs, createId: randomUUID, evidence, log });
      this.#guard = guard;
      accounts.observe((id, { state, ageMs }) => guard.note(id, toNumbers(state), ageMs));
      running.push(guard.run(end.signal));
    }
    running.push(accounts.run(accountMs, end.signal));
  }

  /** Rules are applied also without it. */
  async #openEvidence(elapsedMs: () => number): Promise<EvidenceRecorder | undefined> {
    const { openEvidenceStore, version, timing, log } = this.#options;
    try {
      const store = await openEvidenceStore?.();
      return store && (await EvidenceRecorder.open({ store, timing, elapsedMs, version, log }));
    } catch (error) {
      log.error({ err: error }, 'the evidence of breaches cannot be opened; none is kept');
      return undefined;
    }
  }

  async #startSession(stopping: AbortSignal): Promise<WantedTerminal[]> {
    const { server, facts } = this.#options;
    const reported = await facts?.refresh();
    const wanted = await server.startSession(stopping, reported);
    facts?.noteReported(reported);
    return wanted;
  }

  #createRunner(journal: AttemptJournal): AttemptRunner {
    const { server, seal, slots, timing, log } = this.#options;
    return new AttemptRunner({
      journal,
      keeper: this.#keeper,
      outbox: this.#outbox,
      seal,
      server,
      openAccount: (id) => ({
        close: (filter, signal) => this.#accounts.closeEverything(id, filter, signal),
        countOpen: (filter) => this.#accounts.countOpen(id, filter),
      }),
      slots,
      timing,
      log,
      onCarriedOut: ({ type, terminal }, { kind }) => {
        this.#charts.noteChange(terminal.id);
        if (type === TaskType.TERMINAL_DESTROY && kind === 'completed') this.#forget(terminal.id);
      },
    });
  }

  /** Nothing is left of it. */
  #forget(terminalId: string): void {
    this.#keeper.drop(terminalId);
    this.#observations.forget(terminalId);
    void this.#guard?.forget(terminalId);
  }

  /** Runs the loops until the agent is asked to stop, or one of them gets a fatal answer, with which it rejects. */
  async #work(runner: AttemptRunner, stopping: AbortSignal, getMode: () => StopMode): Promise<void> {
    const { server, registry, slots, heartbeatMs, sampleMs, chartMs, facts, log } = this.#options;
    const timing = this.#timing;
    const [outbox, keeper, observations, charts] = [this.#outbox, this.#keeper, this.#observations, this.#charts];
    const shared = { server, runner, outbox, keeper, observations, facts, timing, log };
    const ending = { claim: new AbortController(), supervise: new AbortController(), rest: new AbortController() };
    const end = (reason: keyof typeof ending) => ending[reason].abort();
    const onResync = () => {
      observations.reportAll(keeper.list(), true);
      charts.reportAllAgain();
      this.#guard?.news.reportAgain();
    };
    const risk = this.#guard && { server, guard: this.#guard, timing, log };
    const evidence = this.#evidence;
    const sending = risk && evidence && { server, evidence, news: risk.guard.news, timing, log };
    const rules = risk && new RiskRuleReader(risk);
    if (rules) server.onRiskChange(() => rules.noteChange());
    const checks = new SwitchChecks({ ...shared, slots });
    server.onSwitchChecks((ids) => checks.ask(ids));
    const left = new LeftTerminals({ ...shared, registry, onRemoved: (id) => this.#forget(id) });
    const onRiskVersion = rules && ((version?: number) => rules.noteVersion(version));
    const loops = {
      claim: runClaimLoop({ ...shared, waitMs: MAX_CLAIM_WAIT_MS }, ending.claim.signal),
      supervise: runSuperviseLoop(shared, ending.supervise.signal),
      heartbeat: runHeartbeatLoop(
        { ...shared, left, intervalMs: heartbeatMs, onResync, onRiskVersion },
        ending.rest.signal,
      ),
      samples: sampleMs
        ? runSampleLoop({ ...shared, intervalMs: sampleMs }, ending.supervise.signal)
        : Promise.resolve(),
      charts: chartMs
        ? runChartLoop({ charts, intervalMs: chartMs, timing }, ending.supervise.signal)
        : Promise.resolve(),
      checks: checks.run(ending.supervise.signal),
      rules: rules ? rules.run(ending.rest.signal) : Promise.resolve(),
      risk: risk ? runRiskReports(risk, ending.rest.signal) : Promise.resolve(),
      evidence: sending ? runEvidenceReports(sending, ending.rest.signal) : Promise.resolve(),
      report: runReportLoop({ ...shared, maxEvents: MAX_REPORT_EVENTS }, ending.rest.signal),
    };
    const all = Promise.all(Object.values(loops));
    try {
      await Promise.race([all, untilAborted(stopping)]);
      end('claim');
      await loops.claim;
      await Promise.race([all, runner.drain(this.#options.drainMs ?? DRAIN_MS)]);
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
    // Counted, not timed: a clock that is set back must not keep the agent from ending.
    const { timing } = this.#options;
    for (let polls = 0; !this.#outbox.isEmpty && polls < FLUSH_MS / FLUSH_POLL_MS; polls += 1) {
      await timing.sleep(FLUSH_POLL_MS);
    }
  }
}
