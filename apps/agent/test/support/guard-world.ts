/**
 * A simulation of one guarded terminal in virtual time: a broker's account that moves at random, a disk that keeps what
 * was written before a kill, and a server that is away at times. The guard itself is the real one.
 */
import type { GuardRule, ReportedBreach, RiskMarks } from '@berth/contract/agent';
import type { TradeDenial } from '@berth/contract/values';
import { createLogger, type Timing } from '@berth/kit';
import type { AnsweredRequest, CloseResult, RiskActions } from '../../src/risk/breach-actions.ts';
import type { EvidenceRecorder } from '../../src/risk/evidence/evidence-recorder.ts';
import { RiskGuard } from '../../src/risk/risk-guard.ts';
import type { RiskStore } from '../../src/risk/risk-store.ts';
import type { RiskRules } from '../../src/server/server-calls.ts';
import type { SeenNumbers } from '../../src/risk/rule-state.ts';

export const TERMINAL = '11111111-1111-4111-8111-111111111111';
export const ACCOUNT = { login: '5001', server: 'Harbour-Demo' };
const log = createLogger({ name: 'guard', level: 'silent' });

/** What a test plants, so that it is found. */
export interface Defects {
  /** Rewrites a record as it is read back after a kill. */
  forget?: (record: { rules: { accounts: RiskMarks[] }[]; breaches: StoredBreach[] }) => void;
  /** The rules are not on the disk. */
  losesRules?: boolean;
  /** Closing is believed without a look at the account. */
  closesBlindly?: boolean;
  /** Numbers of another account, of a terminal that has not synchronised, or whose prices stand still, are passed off as right. */
  trustsEverything?: boolean;
  /** The server takes what is repeated for something new. */
  countsTwice?: boolean;
  /** Deposits and withdrawals are not known. */
  knowsNoCash?: boolean;
  /** Experts that were not taken away are said to be. */
  leavesExperts?: boolean;
  /** What is open is not told while a breach is held. */
  hidesExposure?: boolean;
  /** The switch is left on after closing. */
  leavesSwitchOn?: boolean;
  /** The rules come without the time that they wait. */
  losesConfirmation?: boolean;
  /** Looks at an account that has recovered are left out. */
  hidesRecovery?: boolean;
  /** Marks are not asked to begin anew. */
  losesResets?: boolean;
}

interface StoredBreach {
  report: ReportedBreach;
  isSwitchedOn?: true;
  rule?: GuardRule;
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

/** A terminal that is told what its account has, and writes down what is done to it. */
export class GuardWorld {
  elapsedMs = 0;
  /** By how much the wall clock was set. */
  clockMs = Date.UTC(2026, 5, 15, 12);
  balance = 10_000;
  equity = 10_000;
  open = 3;
  pending = 0;
  experts = 0;
  /** Their charts do not close. */
  areExpertsStuck = false;
  isTradingOn = true;
  isSessionOpen = true;
  /** The share of orders that is refused for now. */
  refusals = 0.33;
  lastDeal = 1;
  flows: { ticket: string; amount: string }[] = [];
  isServerAway = false;
  /** Opens what writes down evidence; undefined: nothing is. */
  openEvidence: ((clocks: { timing: Timing; elapsedMs: () => number }) => Promise<EvidenceRecorder>) | undefined;
  /** What was done to the terminal, in its order. */
  readonly done: string[] = [];
  /** Ids of breaches for which orders were sent. */
  readonly acted = new Set<string>();
  readonly serverBreaches: string[] = [];
  /** The breaches as the server has them. */
  readonly reports = new Map<string, ReportedBreach>();
  /** What was done in a wrong order. */
  readonly violations = new Set<string>();
  /** Blind spells and what else was warned of. */
  readonly warnings: string[] = [];
  readonly #warned = new Set<string>();
  #shownEquity = Infinity;
  readonly #serverKnows = new Set<string>();
  readonly rules: RiskRules;
  readonly #defects: Defects;
  readonly #random: () => number;
  readonly #disk = new Map<string, string>();
  #diskRules: RiskRules | undefined;
  #sequence = 1;
  #sleeps: { atMs: number; wake: () => void }[] = [];
  #life: { guard: RiskGuard; end: AbortController; isDead: boolean } | undefined;

  constructor(rules: readonly GuardRule[], random: () => number, defects: Defects = {}) {
    const terminals = [
      { terminal_id: TERMINAL, ...ACCOUNT, released: [], rules: rules.map((_, index) => ({ index })) },
    ];
    this.rules = { risk_version: 1, rules: [...rules], terminals };
    this.#random = random;
    this.#defects = defects;
  }

  get isAlive(): boolean {
    return this.#life !== undefined;
  }

  get guard(): RiskGuard {
    if (!this.#life) throw new Error('The agent does not run.');
    return this.#life.guard;
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
    const [store, actions] = [this.#createStore(life), this.#createActions(life)];
    const evidence = await this.openEvidence?.({ timing, elapsedMs });
    const guard = await RiskGuard.open({ store, actions, timing, elapsedMs, createId, evidence, log });
    const end = new AbortController();
    this.#life = Object.assign(life, { guard, end });
    void guard.run(end.signal);
    await this.#deliver();
    await settle();
  }

  /** The server has other rules, or says something else of them. */
  async change(changes: Partial<RiskRules>): Promise<void> {
    Object.assign(this.rules, changes, { risk_version: this.rules.risk_version + 1 });
    await this.#deliver();
  }

  /** A person ends all breaches, and may let the marks of their rules begin anew. */
  async unlock({ resetsMarks }: { resetsMarks: boolean }): Promise<void> {
    const [{ rules: applied, ...terminal }] = this.rules.terminals as [RiskRules['terminals'][number]];
    const rules = applied.map(({ index, reset }) => {
      const isMeant = ({ id, rule_id }: ReportedBreach) =>
        rule_id === this.rules.rules[index]?.id && !terminal.released?.includes(id);
      const last = (resetsMarks && [...this.reports.values()].findLast(isMeant)?.id) || reset;
      return { index, ...(last === undefined ? {} : { reset: last }) };
    });
    await this.change({ terminals: [{ ...terminal, released: [...this.reports.keys()], rules }] });
  }

  async #deliver(): Promise<void> {
    if (!this.#life || this.isServerAway) return;
    const { losesConfirmation, losesResets } = this.#defects;
    const { rules, terminals } = this.rules;
    const given = structuredClone({ ...this.rules, rules, terminals });
    if (losesConfirmation) for (const rule of given.rules) delete rule.confirm_ms;
    if (losesResets) for (const { rules: applied } of given.terminals) for (const rule of applied) delete rule.reset;
    await this.#life.guard.setRules(given);
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
  show({ login = '5001', isSynchronised = true, ...more }: Partial<SeenNumbers> = {}): void {
    const isTrusted = this.#defects.trustsEverything === true;
    const isRight = login === '5001' && isSynchronised && (more.tickAgeMs ?? 0) < 15_000;
    this.#sequence += 1;
    const hasRisen = this.equity > this.#shownEquity;
    this.#shownEquity = this.equity;
    if (hasRisen && this.#defects.hidesRecovery) return;
    const open = this.#defects.hidesExposure && this.done.length > 0 ? 0 : this.open;
    const until = String(this.lastDeal);
    this.#life?.guard.note(TERMINAL, {
      ...{ login: isTrusted ? '5001' : login, server: 'Harbour-Demo', balance: this.balance.toFixed(2) },
      ...{ equity: isRight ? this.equity.toFixed(2) : '1.00', volumes: [] },
      ...{ positions: open, orders: this.pending, isSynchronised: isTrusted || isSynchronised },
      ...(this.#defects.knowsNoCash ? {} : { lastDeal: until, cash: { until, flows: this.flows } }),
      deniedBy: this.isTradingOn ? [] : (['terminal'] satisfies TradeDenial[]),
      describeOpen: () => ({ tickets: `${open} ${this.pending}`, prices: this.equity.toFixed(2) }),
      ...(isTrusted ? {} : more),
    });
  }

  /** Money comes or goes, and its deal with it. */
  pay(amount: number): void {
    this.balance += amount;
    this.equity += amount;
    this.lastDeal += 1;
    this.flows = [{ ticket: String(this.lastDeal), amount: amount.toFixed(2) }, ...this.flows];
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

  /** What was decided last is on the disk when this resolves. */
  async rest(): Promise<void> {
    await settle();
    await settle();
  }

  /** Shows the account each second, for so many of them. */
  async live(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      this.show();
      await this.advance(1_000);
    }
  }

  #exchange(): void {
    const news = this.#life?.guard.news;
    const report = this.isServerAway ? undefined : news?.take();
    if (!report) return;
    for (const breach of report.breaches) {
      if (!this.#serverKnows.has(breach.id) || this.#defects.countsTwice === true) this.serverBreaches.push(breach.id);
      this.#serverKnows.add(breach.id);
      this.reports.set(breach.id, breach);
    }
    // Its answer may be lost.
    if (this.#random() < 0.5) return;
    const isNew = ({ id }: { id: string }) => !this.#warned.has(id);
    this.warnings.push(...report.warnings.filter(isNew).map(({ kind, blind }) => blind ?? kind));
    for (const { id } of report.warnings) this.#warned.add(id);
    news?.acknowledge(
      report,
      [...report.breaches, ...report.warnings].map(({ id }) => id),
    );
  }

  #createActions(life: { isDead: boolean }): RiskActions {
    const begin = async (signal: AbortSignal): Promise<void> => {
      await settle();
      if (life.isDead || signal.aborted) throw new Error('The agent was killed.');
    };
    return {
      takeExpertsAway: async (_, signal) => {
        await begin(signal);
        const found = this.#defects.leavesExperts ? 0 : this.experts;
        if (found > 0) this.done.push(`closed ${found} charts`);
        if (!this.areExpertsStuck) this.experts -= found;
        return found;
      },
      closeAll: async (_, onOrder, signal, onAnswer) => {
        await begin(signal);
        const result = this.#close(onOrder);
        for (let place = 0; place < result.closed; place += 1) {
          const answer = { retcode: 10_009, message: 'Done.', order: `${place}`, deal: `${place}`, ms: 5 };
          onAnswer?.({ action: 'close_position', ticket: `${place}`, ...answer } satisfies AnsweredRequest);
        }
        return result;
      },
      switchTrading: async (_, isOn, signal) => {
        await begin(signal);
        if (!isOn && this.#defects.leavesSwitchOn) return;
        if (isOn && this.experts > 0) this.violations.add('switched on before experts were away');
        this.done.push(isOn ? 'trading on' : 'trading off');
        this.isTradingOn = isOn;
      },
    };
  }

  #close(onOrder: () => void): CloseResult {
    const total = this.open + this.pending;
    const result = { closed: 0, isSwitchedOff: false, isSessionClosed: false, sequence: this.#sequence };
    if (total > 0) onOrder();
    const written = this.#listStored((report) => !report.has_ended);
    if (total > 0) for (const breach of written) this.acted.add(breach);
    if (total > 0 && written.length === 0) this.violations.add('acted before it was written down');
    if (total > 0 && this.experts > 0) this.violations.add('closed before experts were away');
    if (total > 0 && !this.isTradingOn) result.isSwitchedOff = true;
    else if (total > 0 && !this.isSessionOpen) result.isSessionClosed = true;
    else if (total > 0 && this.#random() >= this.refusals) {
      if (this.pending > 0) this.done.push(`deleted ${this.pending}`);
      const closed = Math.min(this.open, 2);
      if (closed > 0) this.done.push(`closed ${closed}`);
      result.closed = closed + this.pending;
      this.pending = 0;
      this.open -= closed;
      // What was open is a result now.
      if (this.open === 0) Object.assign(this, { balance: this.equity, lastDeal: this.lastDeal + 1 });
    }
    const left = Array.from({ length: this.open + this.pending }, (_, index) => `${index}`);
    const leftOpen = left.map((ticket) => ({ ticket, symbol: 'EURUSD', message: 'Requote.' }));
    return { ...result, leftOpen, isEmpty: left.length === 0 || this.#defects.closesBlindly === true };
  }

  #listStored(isMeant: (report: ReportedBreach) => boolean): string[] {
    const text = this.#disk.get(TERMINAL);
    if (text === undefined) return [];
    const { breaches } = JSON.parse(text) as { breaches: StoredBreach[] };
    return breaches.filter(({ report }) => isMeant(report)).map(({ report }) => report.id);
  }

  /** Whether a breach on the disk is not carried out to its end. */
  get hasOpenBreach(): boolean {
    return this.#listStored((report) => !report.has_ended && report.phase !== 'holding').length > 0;
  }

  /** Whether a breach on the disk acts or holds. */
  get hasBreach(): boolean {
    return this.#listStored((report) => !report.has_ended).length > 0;
  }

  /** Breaches of a rule that are on the disk, or known to the server. */
  listDecided(ruleId: string): Set<string> {
    const isOfRule = (report: ReportedBreach) => report.rule_id === ruleId;
    const known = [...this.reports.values()].filter(isOfRule).map(({ id }) => id);
    return new Set([...this.#listStored(isOfRule), ...known]);
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
        if (life.isDead) return;
        const before = this.#listStored(() => true);
        this.#disk.set(id, text);
        for (const breach of this.#listStored(() => true)) if (!before.includes(breach)) this.done.push('journal');
      },
      removeRecord: (id) => Promise.resolve(void this.#disk.delete(id)),
    };
  }
}

const refuse = () => Promise.reject(new Error('Nothing is done here.'));

/** Of a guard that decides and does nothing. */
export const noActions: RiskActions = { takeExpertsAway: refuse, closeAll: refuse, switchTrading: refuse };
