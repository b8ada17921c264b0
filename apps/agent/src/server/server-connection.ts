import type {
  AgentEvent,
  DeliveredTask,
  EventVerdict,
  HostFacts,
  ReportedAccount,
  Sample,
  ReportedCharts,
  SwitchCheck,
  WantedTerminal,
} from '@berth/contract/agent';
import { RULE_SETTINGS, type Platform } from '@berth/contract/values';
import type { TaskFiles } from '../platforms/driver.ts';
import {
  readAccounts,
  readAcknowledged,
  readLastLine,
  readCharts,
  readClaim,
  readHeartbeat,
  readReport,
  readRiskRules,
  readSession,
} from './server-answers.ts';
import type {
  AccountsAnswer,
  AttemptKey,
  ClaimWish,
  HeartbeatAnswer,
  RiskReport,
  RiskRules,
  SentEvidence,
  ServerCalls,
} from './server-calls.ts';
import { ServerFiles } from './server-files.ts';
import { CALL_TIMEOUT_MS, sendJson, type JsonAnswer, type Transport } from './server-transport.ts';

/** Two lost heartbeats must fit between a first one and the host being declared lost (20 s). */
const HEARTBEAT_TIMEOUT_MS = 5_000;
/** On top of the time for which a claim may wait at the server. */
const CLAIM_EXTRA_MS = 5_000;
/** The measurements are old by then, and the next round is due. */
const SAMPLES_TIMEOUT_MS = 10_000;
const CHARTS_TIMEOUT_MS = 10_000;
const CHECKS_TIMEOUT_MS = 10_000;
/** States are old after 15 s; deals wait in their terminals. */
const ACCOUNTS_TIMEOUT_MS = 10_000;
/** An unanswered report holds up all that follow it; repeating it costs little, since the server recognises it. */
const REPORT_TIMEOUT_MS = 10_000;

/** Repeating one of these calls costs little. */
const RISK_TIMEOUT_MS = 10_000;

const toAttempts = (keys: readonly AttemptKey[]) => keys.map(({ taskId, fence }) => ({ task_id: taskId, fence }));

export interface ConnectionOptions {
  transport: Transport;
  bearer: string;
  sessionId: string;
  version: string;
  platforms: readonly Platform[];
  /** The share of the usual timeouts of calls, and of the time for which a claim waits. */
  timePercent?: number;
}

/** The agent protocol for one host and one session. */
export class ServerConnection implements ServerCalls {
  readonly #options: ConnectionOptions;
  #onRiskChange = (): void => undefined;
  #onSwitchChecks = (_terminalIds: string[]): void => undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** A share of the usual time; an integer, as the protocol requires. */
  #toShare(ms: number): number {
    return Math.ceil((ms * (this.#options.timePercent ?? 100)) / 100);
  }

  #call(
    path: string,
    body: object,
    signal: AbortSignal,
    { timeoutMs = CALL_TIMEOUT_MS, isNeverResent = false } = {},
  ): Promise<JsonAnswer> {
    const { transport, bearer, sessionId } = this.#options;
    const call = { path, body: { session_id: sessionId, ...body }, signal, isNeverResent };
    const limits = { timeoutMs: this.#toShare(timeoutMs) };
    return sendJson(transport, { ...call, ...limits }, bearer);
  }

  async startSession(signal: AbortSignal, facts?: HostFacts): Promise<WantedTerminal[]> {
    const { version, platforms, sessionId } = this.#options;
    const answer = await this.#call('v1/agent/session', { agent_version: version, platforms, facts }, signal);
    return readSession(answer, sessionId);
  }

  async heartbeat(
    inHand: AttemptKey[],
    signal: AbortSignal,
    news: { facts?: HostFacts | undefined; removed?: string[] | undefined } = {},
  ): Promise<HeartbeatAnswer> {
    const answer = await this.#call('v1/agent/heartbeat', { tasks: toAttempts(inHand), ...news }, signal, {
      timeoutMs: HEARTBEAT_TIMEOUT_MS,
    });
    return readHeartbeat(answer, this.#options.sessionId, inHand);
  }

  async claim({ slots, waitMs, known }: ClaimWish, signal: AbortSignal): Promise<DeliveredTask[]> {
    const body = { slots, wait_ms: this.#toShare(waitMs), ...(known ? { known: toAttempts(known) } : {}) };
    // The loop hears of every broken connection, and waits for less time then.
    const options = { timeoutMs: waitMs + CLAIM_EXTRA_MS, isNeverResent: true };
    const answer = await this.#call('v1/agent/claim', body, signal, options);
    if (answer.json.risk_changed === true) this.#onRiskChange();
    const { tasks, checks } = readClaim(answer, this.#options.sessionId, slots);
    if (checks.length > 0) this.#onSwitchChecks(checks);
    return tasks;
  }

  async report(events: AgentEvent[], signal: AbortSignal): Promise<EventVerdict[]> {
    const answer = await this.#call('v1/agent/report', { events }, signal, { timeoutMs: REPORT_TIMEOUT_MS });
    return readReport(answer, this.#options.sessionId, events);
  }

  async sendSamples(samples: Sample[], signal: AbortSignal): Promise<void> {
    // An identical retry would find that it was already accepted.
    const options = { timeoutMs: SAMPLES_TIMEOUT_MS, isNeverResent: true };
    await this.#call('v1/agent/samples', { samples }, signal, options);
  }

  async sendCharts(terminals: ReportedCharts[], signal: AbortSignal): Promise<string[]> {
    const options = { timeoutMs: CHARTS_TIMEOUT_MS, isNeverResent: true };
    const answer = await this.#call('v1/agent/charts', { terminals }, signal, options);
    return readCharts(answer, this.#options.sessionId);
  }

  async sendAccounts(terminals: ReportedAccount[], signal: AbortSignal): Promise<AccountsAnswer> {
    const options = { timeoutMs: ACCOUNTS_TIMEOUT_MS, isNeverResent: true };
    const answer = await this.#call('v1/agent/accounts', { terminals }, signal, options);
    return readAccounts(answer, this.#options.sessionId);
  }

  async readRiskRules(signal: AbortSignal): Promise<RiskRules> {
    const body = { settings: RULE_SETTINGS };
    const answer = await this.#call('v1/agent/risk-rules', body, signal, { timeoutMs: RISK_TIMEOUT_MS });
    return readRiskRules(answer, this.#options.sessionId);
  }

  async reportRisk(report: RiskReport, signal: AbortSignal): Promise<string[]> {
    const answer = await this.#call('v1/agent/risk', report, signal, { timeoutMs: RISK_TIMEOUT_MS });
    return readAcknowledged(answer, this.#options.sessionId);
  }

  async sendEvidence(evidence: SentEvidence, signal: AbortSignal): Promise<number | null> {
    const answer = await this.#call('v1/agent/risk-evidence', evidence, signal, { timeoutMs: RISK_TIMEOUT_MS });
    return readLastLine(answer, this.#options.sessionId);
  }

  onRiskChange(listener: () => void): void {
    this.#onRiskChange = listener;
  }

  onSwitchChecks(listener: (terminalIds: string[]) => void): void {
    this.#onSwitchChecks = listener;
  }

  async reportChecks(checks: SwitchCheck[], signal: AbortSignal): Promise<void> {
    const options = { timeoutMs: CHECKS_TIMEOUT_MS, isNeverResent: true };
    await this.#call('v1/agent/checks', { checks }, signal, options);
  }

  openFiles(task: DeliveredTask, signal: AbortSignal): TaskFiles {
    const { transport, bearer } = this.#options;
    return new ServerFiles({ transport, bearer, task, signal });
  }
}
