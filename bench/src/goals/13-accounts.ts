import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { HEARTBEAT_MS, type AccountState } from '@berth/contract';
import { stopProcess } from '../bench.ts';
import type { Goal } from '../goal.ts';
import { readCpuSeconds, readResidentMb, readTreeCpuSeconds } from '../process-usage.ts';
import { seed, type Seeded } from '../seed.ts';
import { Wire } from '../wire.ts';

const HOSTS = 100;
const TERMINALS_PER_HOST = 100;
const SETTLE_MS = 20_000;
/** Whole minutes, because a minute that is over is written when the next one begins. */
const WATCH_MS = 120_000;
const MIN_WAIT_MS = 5;

const toPosition = (ticket: number, cents: number) => ({
  ticket: String(ticket),
  symbol: 'EURUSD',
  side: 'buy' as const,
  volume: '0.10',
  open_price: '1.05000',
  price: `1.0${5000 + (cents % 100)}`,
  stop_loss: '1.04500',
  take_profit: null,
  swap: '0.00',
  profit: (cents / 200).toFixed(2),
  magic: '0',
  comment: 'trend',
  opened_at: '2026-01-31T08:15:30.123Z',
});

/** Other numbers each second, with two positions, as a terminal that trades has them. */
export const toMovingState = (sequence: number, lastDeal: string | null = null): AccountState => {
  const cents = (sequence * 7919) % 20_000;
  const equity = (10_000 + cents / 100).toFixed(2);
  return {
    sequence,
    age_ms: 100,
    at: new Date().toISOString(),
    currency: 'USD',
    currency_digits: 2,
    leverage: 100,
    margin_mode: 'hedging',
    balance: '10000.00',
    credit: '0.00',
    equity,
    profit: (cents / 100).toFixed(2),
    margin: '210.00',
    free_margin: equity,
    margin_level: '4761.90',
    trading_allowed: true,
    is_synchronized: true,
    positions_total: 2,
    orders_total: 0,
    positions: [toPosition(1, cents), toPosition(2, cents)],
    orders: [],
    last_deal: lastDeal,
  };
};

/** A host that reports the accounts of its terminals once a second, all in one message. */
export class ReportingHost {
  readonly #wire: Wire;
  readonly #heart: Wire;
  readonly #sessionId = randomUUID();
  readonly #terminals: readonly { id: string; login: string }[];
  #sequence = 0;
  #isStopped = false;
  failure: unknown;
  sent = 0;
  notTaken = 0;

  constructor(url: string, bearer: string, terminals: readonly { id: string; login: string }[]) {
    this.#wire = new Wire(url, bearer);
    this.#heart = new Wire(url, bearer);
    this.#terminals = terminals;
  }

  async start(): Promise<void> {
    const body = { session_id: this.#sessionId, agent_version: 'bench', platforms: ['sandbox'] };
    await this.#wire.post('/v1/agent/session', body);
    const note = (error: unknown) => {
      if (!this.#isStopped) this.failure = error;
    };
    this.#report().catch(note);
    this.#beat().catch(note);
  }

  stop(): void {
    this.#isStopped = true;
    this.#wire.close();
    this.#heart.close();
  }

  /** A host that says nothing is lost. */
  async #beat(): Promise<void> {
    while (!this.#isStopped) {
      await this.#heart.post('/v1/agent/heartbeat', { session_id: this.#sessionId, tasks: [] });
      await delay(HEARTBEAT_MS);
    }
  }

  async #report(): Promise<void> {
    while (!this.#isStopped) {
      const from = performance.now();
      this.#sequence += 1;
      const state = toMovingState(this.#sequence);
      const terminals = this.#terminals.map(({ id, login }) => ({
        terminal_id: id,
        login,
        server: 'Bench-Server',
        state,
      }));
      type Answer = { too_soon: string[]; refused: unknown[] };
      const answer = await this.#wire.post<Answer>('/v1/agent/accounts', { session_id: this.#sessionId, terminals });
      this.sent += terminals.length;
      this.notTaken += answer.too_soon.length + answer.refused.length;
      await delay(Math.max(MIN_WAIT_MS, 1_000 - (performance.now() - from)));
    }
  }
}

/** The logins are those of the seed: the next one for the next terminal of each host. */
export const createReportingHosts = (url: string, { hosts, terminals }: Seeded, loginOf: ReadonlyMap<string, string>) =>
  hosts.map(({ id, bearer }) => {
    const own = terminals.filter(({ hostId }) => hostId === id);
    return new ReportingHost(
      url,
      bearer,
      own.map((terminal) => ({ id: terminal.id, login: loginOf.get(terminal.id) ?? '' })),
    );
  });

export const accounts: Goal = {
  id: '13',
  title: `${(HOSTS * TERMINALS_PER_HOST).toLocaleString('en')} accounts on one server, a state with two positions each second`,
  measure: async (bench) => {
    const database = await bench.createDatabase();
    const seeded = await seed(database, { hosts: HOSTS, terminalsPerHost: TERMINALS_PER_HOST });
    const rows = await bench.query(database, 'select id, login from terminals');
    const loginOf = new Map(rows.map(({ id, login }) => [id as string, login as string]));
    const berth = await bench.startServer(database);
    const { pid } = berth.process;
    const hosts = createReportingHosts(berth.url, seeded, loginOf);
    for (const host of hosts) {
      await host.start();
      await delay(1_000 / HOSTS);
    }
    await delay(SETTLE_MS);
    const sum = (name: 'sent' | 'notTaken') => hosts.reduce((total, host) => total + host[name], 0);
    const before = {
      server: readCpuSeconds(pid),
      database: readTreeCpuSeconds(bench.postgres.pid ?? 0),
      sent: sum('sent'),
      notTaken: sum('notTaken'),
    };
    const from = performance.now();
    await delay(WATCH_MS);
    const seconds = (performance.now() - from) / 1000;
    const sent = sum('sent') - before.sent;
    const figures = {
      'states per second': sent / seconds,
      'core of the server': (readCpuSeconds(pid) - before.server) / seconds,
      'core of PostgreSQL': (readTreeCpuSeconds(bench.postgres.pid ?? 0) - before.database) / seconds,
      'share of states not taken': (sum('notTaken') - before.notTaken) / sent,
      'resident MB': readResidentMb(pid),
      'hosts that failed': hosts.filter((host) => host.failure !== undefined).length,
    };
    const failure = hosts.find((host) => host.failure !== undefined)?.failure;
    if (failure instanceof Error) process.stderr.write(`One that failed: ${failure.message}\n`);
    for (const host of hosts) host.stop();
    await stopProcess(berth.process);
    return [figures];
  },
  judge: (medians) => [
    {
      what: 'core of the server, at 10,000 states per second',
      value: ((medians['core of the server'] ?? NaN) * 10_000) / (medians['states per second'] ?? NaN),
      goal: 0.7,
      moonshot: 0.35,
      direction: 'most',
    },
    {
      what: 'core of PostgreSQL, at 10,000 states per second',
      value: ((medians['core of PostgreSQL'] ?? NaN) * 10_000) / (medians['states per second'] ?? NaN),
      goal: 0.7,
      moonshot: 0.35,
      direction: 'most',
    },
  ],
};
