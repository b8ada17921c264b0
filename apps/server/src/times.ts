/**
 * How long the server waits before it acts by itself, or draws conclusions about a host. These depend on each other: a
 * host sends several heartbeats before it counts as lost, and a frozen server loses its locks before that. So they are
 * one value, which tests shorten as a whole, or where they wait.
 */
import {
  DELIVERED_DEADLINE_MS,
  HEARTBEAT_MS,
  HOST_LOST_MS,
  LEASE_MS,
  MIN_ACCOUNT_GAP_MS,
  MIN_CHARTS_GAP_MS,
  MIN_SAMPLE_GAP_MS,
} from '@berth/contract';

const TICK_MS = 1_000;
const DOWNTIME_MS = 5_000;
const IDLE_IN_TRANSACTION_MS = 8_000;
const DATABASE_PING_MS = 5_000;
const ROOM_STUCK_MS = 60_000;
const EVENT_PING_MS = 5_000;
const WEBHOOK_LEASE_MS = 30_000;
const ALERT_GROUP_MS = 3_000;
const ALERT_GRACE_MS = 20_000;
const ALERT_LEASE_MS = 60_000;

export interface Times {
  /** Between two ticks of the scheduler. */
  tickMs: number;
  /**
   * After this long without a tick, no server was up, or the database's clock was set: silence of hosts proves nothing.
   */
  downtimeMs: number;
  /**
   * PostgreSQL ends a transaction whose server sends nothing for this long. A server that was frozen in the middle of
   * one holds its locks, the scheduler's and hosts' rows among them; the others wait for no longer than this, which is
   * well within the time after which a host counts as lost.
   */
  idleInTransactionMs: number;
  /**
   * Between two pings of PostgreSQL, and for the answer to one. After two in a row without an answer, up to 15 s, the
   * connections are abandoned. A single one may be this process's own fault: a server that is short of CPU time is late
   * to read it.
   */
  databasePingMs: number;
  /**
   * When requests found no room (limits/room.ts) for this long, while none was released, the server is not ready any
   * more. Any client that reads or sends at all releases some sooner.
   */
  roomStuckMs: number;
  /** Between two comments of an event stream, by which its reader sees that the server is alive. */
  eventPingMs: number;
  hostLostMs: number;
  heartbeatMs: number;
  leaseMs: number;
  /** A delivered task that the agent has not started by then goes back to the queue. */
  deliveredDeadlineMs: number;
  /** For how long a server that was killed keeps its webhooks from the others. It renews its leases three times in that time. */
  webhookLeaseMs: number;
  /** What begins within this time after an alert is told by the same message. */
  alertGroupMs: number;
  /** After a downtime hosts report first: what is known of terminals is old until then, and nobody is alerted. */
  alertGraceMs: number;
  /** For how long a server that was killed keeps the messages that it was sending. Longer than a call may take. */
  alertLeaseMs: number;
  /** Between two samples of a terminal, at least. */
  sampleGapMs: number;
  chartsGapMs: number;
  /** Between two states of an account. */
  accountGapMs: number;
}

export const usualTimes: Times = {
  tickMs: TICK_MS,
  downtimeMs: DOWNTIME_MS,
  idleInTransactionMs: IDLE_IN_TRANSACTION_MS,
  databasePingMs: DATABASE_PING_MS,
  roomStuckMs: ROOM_STUCK_MS,
  eventPingMs: EVENT_PING_MS,
  hostLostMs: HOST_LOST_MS,
  heartbeatMs: HEARTBEAT_MS,
  leaseMs: LEASE_MS,
  deliveredDeadlineMs: DELIVERED_DEADLINE_MS,
  webhookLeaseMs: WEBHOOK_LEASE_MS,
  alertGroupMs: ALERT_GROUP_MS,
  alertGraceMs: ALERT_GRACE_MS,
  alertLeaseMs: ALERT_LEASE_MS,
  sampleGapMs: MIN_SAMPLE_GAP_MS,
  chartsGapMs: MIN_CHARTS_GAP_MS,
  accountGapMs: MIN_ACCOUNT_GAP_MS,
};

/** @param percent of the usual times: 100 are these */
export const toTimes = (percent: number): Times => {
  const toShare = (ms: number): number => Math.round((ms * percent) / 100);
  const shares = Object.entries(usualTimes).map(([name, ms]) => [name, toShare(ms as number)] as const);
  return Object.fromEntries(shares) as unknown as Times;
};
