/** The calls to the server, independent of their transport. */
import type {
  AgentEvent,
  DealCursor,
  DeliveredTask,
  EventVerdict,
  GuardedTerminal,
  GuardRule,
  HostFacts,
  ReportedBreach,
  ReportedEvidence,
  ReportedRiskState,
  ReportedWarning,
  ReportedAccount,
  Sample,
  ReportedCharts,
  SwitchCheck,
  WantedTerminal,
} from '@berth/contract/agent';
import type { AccountRefusal } from '@berth/contract/values';
import type { TaskFiles } from '../platforms/driver.ts';

/** The risk rules of this host's terminals, and what they have measured. */
export interface RiskRules {
  risk_version: number;
  rules: GuardRule[];
  terminals: GuardedTerminal[];
}

/** What the server does not know yet of risk rules. */
export interface RiskReport {
  states: ReportedRiskState[];
  warnings: ReportedWarning[];
  breaches: ReportedBreach[];
}

/** What was written down of a breach. */
export interface SentEvidence {
  breach_id: string;
  sent_at: number;
  lines: ReportedEvidence[];
  is_complete: boolean;
}

/** An attempt at a task: only the newest fence of a task is valid. */
export interface AttemptKey {
  taskId: string;
  fence: number;
}

export interface ClaimWish {
  slots: number;
  /** How long the claim may wait at the server. */
  waitMs: number;
  /**
   * Every attempt in hand: anything else that was handed out, and whose answer was lost, is handed out again. Undefined:
   * nothing is.
   */
  known?: AttemptKey[] | undefined;
}

export interface HeartbeatAnswer {
  /** Ids of the tasks whose attempts no longer count. */
  revoked: string[];
  /** The server had given up on the host: it needs a report on every terminal again. */
  isResyncWanted: boolean;
  /** Of the risk rules of this host's terminals; undefined: they have, and had, none. */
  riskVersion?: number | undefined;
  /** Terminals that live on other hosts, of which something is left here; undefined: none. */
  left?: string[] | undefined;
}

/** What the server made of a report of accounts. */
export interface AccountsAnswer {
  /** Terminals of which the state came too soon after the last one. */
  too_soon: string[];
  refused: { terminal_id: string; reason: AccountRefusal }[];
  cursors: DealCursor[];
}

/** The loops' calls to the server. Every call rejects with a ServerError. */
export interface ServerCalls {
  /** @returns what this host must keep. */
  startSession(signal: AbortSignal, facts?: HostFacts): Promise<WantedTerminal[]>;
  /** @param news changed facts about the machine, and terminals of which nothing is left here any more, if any */
  heartbeat(
    inHand: AttemptKey[],
    signal: AbortSignal,
    news?: { facts?: HostFacts | undefined; removed?: string[] | undefined },
  ): Promise<HeartbeatAnswer>;
  /** Tried once. */
  sendSamples(samples: Sample[], signal: AbortSignal): Promise<void>;
  /** Tried once. @returns the terminals that were reported too soon after the last time */
  sendCharts(terminals: ReportedCharts[], signal: AbortSignal): Promise<string[]>;
  /** Tried once. */
  sendAccounts(terminals: ReportedAccount[], signal: AbortSignal): Promise<AccountsAnswer>;
  /** Tried once. @returns the rules of this host's terminals */
  readRiskRules(signal: AbortSignal): Promise<RiskRules>;
  /** Tried once. @returns the warnings and breaches that are acknowledged */
  reportRisk(report: RiskReport, signal: AbortSignal): Promise<string[]>;
  /** Tried once. @returns the last line that the server has; null: the host has no such breach there */
  sendEvidence(evidence: SentEvidence, signal: AbortSignal): Promise<number | null>;
  /** Called when the server says that risk rules have changed. */
  onRiskChange(listener: () => void): void;
  /** Called when the server asks on which of these terminals algo trading could be turned off. */
  onSwitchChecks(listener: (terminalIds: string[]) => void): void;
  /** Tried once. */
  reportChecks(checks: SwitchCheck[], signal: AbortSignal): Promise<void>;
  claim(wanted: ClaimWish, signal: AbortSignal): Promise<DeliveredTask[]>;
  /** @returns the server's verdict on each event, in their order */
  report(events: AgentEvent[], signal: AbortSignal): Promise<EventVerdict[]>;
  /** The files of one attempt. */
  openFiles(task: DeliveredTask, signal: AbortSignal): TaskFiles;
}
