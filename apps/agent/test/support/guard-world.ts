/**
 * A simulation of one guarded terminal in virtual time: a broker's account that moves at random, a disk that keeps what
 * was written before a kill, and a server that is away at times. The guard itself is the real one.
 */
import type { GuardRule } from '@berth/contract/agent';
import { createLogger, type Timing } from '@berth/kit';
import type { RiskActions } from '../../src/risk/breach-actions.ts';
import { RiskGuard } from '../../src/risk/risk-guard.ts';
import type { RiskStore } from '../../src/risk/risk-store.ts';
import type { RiskRules } from '../../src/server/server-calls.ts';

export const TERMINAL = '11111111-1111-4111-8111-111111111111';
const log = createLogger({ name: 'guard', level: 'silent' });

/** What a test plants, so that it is found. */
export interface Defects {
  /** Rewrites a record as it is read back after a kill. */
  forget?: (record: { rules: unknown[]; breaches: unknown[] }) => void;
  /** The rules are not on the disk. */
  losesRules?: boolean;
  /** Closing is believed without a look at the account. */
  closesBlindly?: boolean;
  /** Numbers of another account, or of a terminal that has not synchronised, are passed off as right. */
  trustsEverything?: boolean;
  /** The server takes what is repeated for something new. */
  countsTwice?: boolean;
}

/** mulberry32: a seed replays its run. */
export const createRandom = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

const settle = async () => {
  for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setImmediate(resolve));
};

export class GuardWorld {
  elapsedMs = 0;
  /** By how much the wall clock was set. */
  clockMs = Date.UTC(2026, 5, 15, 12);
  equity = 10_000;
  open = 3;
  isServerAway = false;
  /** Ids of breaches for which orders were sent. */
  readonly acted = new Set<string>();
  readonly serverBreaches: string[] = [];
  readonly #serverKnows = new Set<string>();
  readonly #rules: RiskRules;
  readonly #defects: Defects;
  readonly #random: () => number;
  readonly #disk = new Map<string, string>();
  #diskRules: RiskRules | undefined;
  #sleeps: { atMs: number; wake: () => void }[] = [];
  #life: { guard: RiskGuard; end: AbortController; isDead: boolean } | undefined;

  constructor(rule: GuardRule, random: () => number, defects: Defects) {
    const terminals = [{ terminal_id: TERMINAL, login: '5001', server: 'Harbour-Demo', rules: [{ index: 0 }] }];
    this.#rules = { risk_version: 1, rules: [rule], terminals };
    this.#random = random;
    this.#defects = defects;
  }

  get isAlive(): boolean {
    return this.#life !== undefined;
  }

  async start(): Promise<void> {
    const life = { isDead: false };
    const timing: Timing = {
      clock: { now: () => this.clockMs + this.elapsedMs },
      random: this.#random,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          const wake = () => {
            signal?.removeEventListener('abort', wake);
            resolve();
          };
          this.#sleeps.push({ atMs: this.elapsedMs + ms, wake });
          signal?.addEventListener('abort', wake, { once: true });
        }),
    };
    const elapsedMs = () => this.elapsedMs;
    const createId = () => crypto.randomUUID();
    const parts = {
      store: this.#createStore(life),
      actions: this.#createActions(life),
      timing,
      elapsedMs,
      createId,
      log,
    };
    const guard = await RiskGuard.open(parts);
    const end = new AbortController();
    this.#life = Object.assign(life, { guard, end });
    void guard.run(end.signal);
    if (!this.isServerAway) await guard.setRules(this.#rules);
    await settle();
  }

  /** Ends the agent at this very moment: what it has not written is lost, and it sends nothing more. */
  async kill(): Promise<void> {
    if (!this.#life) return;
    this.#life.isDead = true;
    this.#life.end.abort();
    this.#life = undefined;
    await settle();
  }

  /** The terminal writes a state of its account. */
  show({ login = '5001', isSynchronised = true } = {}): void {
    const isTrusted = this.#defects.trustsEverything === true;
    this.#life?.guard.note(TERMINAL, {
      ...{ login: isTrusted ? '5001' : login, server: 'Harbour-Demo', balance: '10000.00' },
      ...{ equity: login === '5001' && isSynchronised ? this.equity.toFixed(2) : '1.00' },
      ...{ volumes: [], positions: this.open, isSynchronised: isTrusted || isSynchronised },
    });
  }

  async advance(ms: number): Promise<void> {
    const untilMs = this.elapsedMs + ms;
    for (;;) {
      await settle();
      const due = this.#sleeps.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (!due) break;
      this.#sleeps = this.#sleeps.filter((sleep) => sleep !== due);
      this.elapsedMs = Math.max(this.elapsedMs, due.atMs);
      due.wake();
    }
    this.elapsedMs = untilMs;
    this.#exchange();
  }

  #exchange(): void {
    const news = this.#life?.guard.news;
    const report = this.isServerAway ? undefined : news?.take();
    if (!report) return;
    for (const { id } of report.breaches) {
      if (!this.#serverKnows.has(id) || this.#defects.countsTwice === true) this.serverBreaches.push(id);
      this.#serverKnows.add(id);
    }
    // Its answer may be lost.
    if (this.#random() < 0.5) return;
    news?.acknowledge(
      report,
      [...report.breaches, ...report.warnings].map(({ id }) => id),
    );
  }

  #createActions(life: { isDead: boolean }): RiskActions {
    return {
      closeAll: async (_terminalId, onOrder, signal) => {
        await settle();
        if (life.isDead || signal.aborted) throw new Error('The agent was killed.');
        if (this.open > 0) onOrder();
        for (const breach of this.#listOpenBreaches()) this.acted.add(breach);
        // One in three orders is refused for now.
        const closed = this.#random() < 0.33 ? 0 : Math.min(this.open, 2);
        this.open -= closed;
        const left = Array.from({ length: this.open }, (_, index) => `${index}`);
        const leftOpen = left.map((ticket) => ({ ticket, symbol: 'EURUSD', message: 'Requote.' }));
        return { closed, leftOpen, isEmpty: this.open === 0 || this.#defects.closesBlindly === true };
      },
      switchTradingOff: () => Promise.resolve(),
    };
  }

  #listOpenBreaches(): string[] {
    const text = this.#disk.get(TERMINAL);
    if (text === undefined) return [];
    const { breaches } = JSON.parse(text) as { breaches: { report: { id: string; has_ended: boolean } }[] };
    return breaches.filter(({ report }) => !report.has_ended).map(({ report }) => report.id);
  }

  /** Whether every breach on the disk was carried out to its end. */
  get hasOpenBreach(): boolean {
    return this.#listOpenBreaches().length > 0;
  }

  #createStore(life: { isDead: boolean }): RiskStore {
    return {
      readRules: () => Promise.resolve(this.#defects.losesRules === true ? undefined : this.#diskRules),
      writeRules: (rules) => Promise.resolve(void (this.#diskRules = rules)),
      readRecords: () => {
        const records = [...this.#disk].map(([id, text]) => {
          const record = JSON.parse(text) as { rules: []; breaches: []; warnings: [] };
          this.#defects.forget?.(record);
          return [id, record] as const;
        });
        return Promise.resolve(new Map(records));
      },
      writeRecord: async (id, text) => {
        await settle();
        if (!life.isDead) this.#disk.set(id, text);
      },
      removeRecord: (id) => Promise.resolve(void this.#disk.delete(id)),
    };
  }
}
