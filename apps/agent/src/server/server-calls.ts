/** The calls to the server, independent of their transport. */
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
   * All running attempts, if the answer to an earlier claim may have been lost: anything else that was handed out is
   * returned again.
   */
  known?: AttemptKey[] | undefined;
}

export interface HeartbeatAnswer {
  /** Ids of the tasks whose attempts no longer count. */
  revoked: string[];
  /** The server had given up on the host: it needs a report on every terminal again. */
  isResyncWanted: boolean;
}

/** The loops' calls to the server. Every call rejects with a ServerError. */
export interface ServerCalls {
  /** @returns what this host must keep. */
  startSession(signal: AbortSignal, facts?: HostFacts): Promise<WantedTerminal[]>;
  /** @param news changed facts about the machine, if any */
  heartbeat(inHand: AttemptKey[], signal: AbortSignal, news?: HostFacts): Promise<HeartbeatAnswer>;
  /** Tried once. */
  sendSamples(samples: Sample[], signal: AbortSignal): Promise<void>;
  /** Tried once. @returns the terminals that were reported too soon after the last time */
  sendCharts(terminals: ReportedCharts[], signal: AbortSignal): Promise<string[]>;
  claim(wanted: ClaimWish, signal: AbortSignal): Promise<DeliveredTask[]>;
  /** @returns the server's verdict on each event, in their order */
  report(events: AgentEvent[], signal: AbortSignal): Promise<EventVerdict[]>;
  /** The files of one attempt. */
  openFiles(task: DeliveredTask, signal: AbortSignal): TaskFiles;
}
