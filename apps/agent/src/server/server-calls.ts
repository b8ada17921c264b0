/** What the host's parts ask of the server, apart from how it is carried. */
import type {
  AgentEvent,
  DeliveredTask,
  EventVerdict,
  HostFacts,
  Sample,
  ReportedCharts,
  WantedTerminal,
} from '@berth/contract/agent';
import type { TaskFiles } from '../platforms/driver.ts';

/** An attempt at a task: of one task only the newest fence counts. */
export interface AttemptKey {
  taskId: string;
  fence: number;
}

export interface ClaimWish {
  slots: number;
  /** How long the claim may wait at the server. */
  waitMs: number;
  /** Every attempt in hand, if the answer to an earlier claim may have been lost: what else was handed out comes again. */
  known?: AttemptKey[] | undefined;
}

export interface HeartbeatAnswer {
  /** Ids of the tasks whose attempts no longer count. */
  revoked: string[];
  /** The server had given the host up: it needs to hear of every terminal again. */
  isResyncWanted: boolean;
}

/** What the loops ask of the server. Every call rejects with a ServerError. */
export interface ServerCalls {
  /** @returns what this host must keep. */
  startSession(signal: AbortSignal, facts?: HostFacts): Promise<WantedTerminal[]>;
  /** @param news of the machine, where there are some */
  heartbeat(inHand: AttemptKey[], signal: AbortSignal, news?: HostFacts): Promise<HeartbeatAnswer>;
  /** Tried once. */
  sendSamples(samples: Sample[], signal: AbortSignal): Promise<void>;
  /** Tried once. @returns the terminals that were told of too soon after the last time */
  sendCharts(terminals: ReportedCharts[], signal: AbortSignal): Promise<string[]>;
  claim(wanted: ClaimWish, signal: AbortSignal): Promise<DeliveredTask[]>;
  /** @returns the server's verdict on each event, in their order */
  report(events: AgentEvent[], signal: AbortSignal): Promise<EventVerdict[]>;
  /** The files of one attempt. */
  openFiles(task: DeliveredTask, signal: AbortSignal): TaskFiles;
}
