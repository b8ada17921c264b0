/**
 * The guard of a host: looks at every new state of an account with the rules of its terminal, also while the server is
 * away, and acts. A breach is on the disk before its first order is sent. If the disk refuses it, the guard acts all the
 * same: what is at stake is money, and only a crash in the next seconds could make it act once more, on a terminal that
 * is empty by then.
 */
import type { ReportedWarning, RiskMarks } from '@berth/contract/agent';
import type { HostEvidenceKind } from '@berth/contract/values';
import type { Logger, Timing } from '@berth/kit';
import type { RiskRules } from '../server/server-calls.ts';
import { carryOutBreach, closeAgain, type RiskActions } from './breach-actions.ts';
import type { EvidenceRecorder } from './evidence/evidence-recorder.ts';
import { isActing, isHolding, type GuardBreach } from './guard-breach.ts';
import { GuardedTerminal, type AppliedRule, type GuardMoment } from './guarded-terminal.ts';
import { RiskNews } from './risk-news.ts';
import { RecordSaver, type RiskStore } from './risk-store.ts';
import type { SeenNumbers } from './rule-state.ts';

export interface RiskGuardOptions {
  store: RiskStore;
  actions: RiskActions;
  timing: Timing;
  /** Milliseconds of a clock that nobody sets. */
  elapsedMs: () => number;
  createId: () => string;
  /** Writes down what a disputed breach needs; absent: nothing is. */
  evidence?: EvidenceRecorder | undefined;
  log: Logger;
}

/** How often everything is looked at again: numbers grow old, and days begin, without any news. */
const TICK_MS = 1_000;
/** How often changed marks reach the disk, if nothing about them is urgent. */
const SAVE_MS = 5_000;

/** What a rule has measured of the account that it looked at last. */
const findMarks = ({ record }: GuardedTerminal, ruleId: string): RiskMarks | undefined =>
  record.rules.find(({ rule_id }) => rule_id === ruleId)?.accounts.at(-1);

export class RiskGuard {
  readonly news: RiskNews;
  readonly #options: RiskGuardOptions;
  readonly #saver: RecordSaver;
  readonly #terminals = new Map<string, GuardedTerminal>();
  readonly #acting = new Map<string, Promise<void>>();
  /** Held breaches under which something is to be closed. */
  readonly #exposed = new Set<string>();
  /** When breaches of this process were decided, by the clock that nobody sets. */
  readonly #decidedAtMs = new Map<string, number>();
  #version: number | undefined;
  #signal: AbortSignal | undefined;
  #savedAtMs = -Infinity;

  private constructor(options: RiskGuardOptions) {
    this.#options = options;
    this.#saver = new RecordSaver(options.store, options.log);
    this.news = new RiskNews(this.#terminals, options.elapsedMs, (id) => void this.#save(id));
  }

  /** Takes up what an earlier agent of this host left: rules, marks, and breaches that it was carrying out. */
  static async open(options: RiskGuardOptions): Promise<RiskGuard> {
    const guard = new RiskGuard(options);
    for (const [id, record] of await options.store.readRecords()) {
      guard.#terminals.set(id, new GuardedTerminal(id, record, options.elapsedMs()));
    }
    const rules = await options.store.readRules();
    if (rules) guard.#apply(rules);
    options.evidence?.adopt([...guard.#terminals.values()].flatMap(({ record }) => record.breaches));
    return guard;
  }

  /** Of the rules that it applies; undefined: it has none yet. */
  get version(): number | undefined {
    return this.#version;
  }

  /** The rules as they are from now on. They apply at once, and are on the disk when this resolves. */
  async setRules(rules: RiskRules): Promise<void> {
    this.#apply(rules);
    await this.#options.store.writeRules({
      ...rules,
      // Marks are in the records.
      terminals: rules.terminals.map((terminal) => ({
        ...terminal,
        rules: terminal.rules.map(({ marks: _, ...rule }) => rule),
      })),
    });
    await Promise.all([...this.#terminals.keys()].map((id) => this.#save(id)));
  }

  #apply({ risk_version: version, rules, terminals }: RiskRules): void {
    const guarded = new Set(terminals.map(({ terminal_id: id }) => id));
    for (const [id, terminal] of this.#terminals) if (!guarded.has(id)) terminal.apply({ login: '', server: '' }, []);
    for (const { terminal_id: id, login, server, initial_balance, released, rules: applied } of terminals) {
      const toApplied = ({ index, marks, reset }: (typeof applied)[number]): AppliedRule[] => {
        const rule = rules[index];
        return rule ? [{ rule, marks, reset }] : [];
      };
      this.#ensure(id).apply({ login, server, initial_balance }, applied.flatMap(toApplied), released);
    }
    this.#version = version;
  }

  #ensure(terminalId: string): GuardedTerminal {
    const known = this.#terminals.get(terminalId);
    if (known) return known;
    const terminal = new GuardedTerminal(terminalId, undefined, this.#options.elapsedMs());
    this.#terminals.set(terminalId, terminal);
    return terminal;
  }

  /** A new state of a terminal's account: looked at before this returns. */
  note(terminalId: string, numbers: SeenNumbers, ageMs = 0): void {
    const terminal = this.#terminals.get(terminalId);
    if (!terminal) return;
    const { nowMs, elapsedMs } = this.#toMoment();
    terminal.note(numbers, { nowMs: nowMs - ageMs, elapsedMs: elapsedMs - ageMs });
    this.#options.evidence?.noteNumbers(terminalId, numbers, ageMs);
    this.#look(terminal);
  }

  /** The terminal is gone, with everything about it that the server knows. */
  async forget(terminalId: string): Promise<void> {
    this.#terminals.delete(terminalId);
    this.#options.evidence?.forgetTerminal(terminalId);
    await this.#saver.remove(terminalId);
  }

  /** Looks at what it knows every second, and carries out what is decided, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { timing } = this.#options;
    this.#signal = signal;
    const { nowMs } = this.#toMoment();
    for (const [id, terminal] of this.#terminals) if (terminal.suspendOldBreaches(nowMs)) await this.#save(id);
    while (!signal.aborted) {
      for (const terminal of this.#terminals.values()) {
        this.#look(terminal);
        this.#act(terminal);
      }
      this.#saveChanges();
      this.#options.evidence?.tick();
      await timing.sleep(TICK_MS, signal);
    }
    await Promise.all(this.#acting.values());
    await Promise.all([...this.#terminals.keys()].map((id) => this.#save(id)));
    await this.#options.evidence?.save();
  }

  #toMoment(): GuardMoment {
    const { timing, elapsedMs, createId } = this.#options;
    return { nowMs: timing.clock.now(), elapsedMs: elapsedMs(), createId };
  }

  #look(terminal: GuardedTerminal): void {
    const moment = this.#toMoment();
    const { warnings } = terminal.record;
    const { breaches, exposed, isImportant } = terminal.look(moment);
    if (terminal.record.warnings !== warnings) this.#noteSight(terminal, warnings);
    for (const breach of breaches) {
      const { report } = breach;
      this.#options.evidence?.begin(breach, findMarks(terminal, report.rule_id));
      this.#decidedAtMs.set(report.id, moment.elapsedMs);
      const { terminal_id, rule_id, value, limit } = report;
      this.#options.log.warn({ terminal_id, rule_id, breach_id: report.id, value, limit }, 'a risk rule acts');
    }
    // While it acts, the numbers are those of before its orders.
    if (!this.#acting.has(terminal.terminalId)) for (const { report } of exposed) this.#exposed.add(report.id);
    if (breaches.length > 0 || exposed.length > 0) this.#act(terminal);
    if (breaches.length === 0 && !isImportant) return;
    // Another breach may be carried out at the moment.
    void this.#save(terminal.terminalId);
    this.news.wake();
  }

  #noteSight({ terminalId, record }: GuardedTerminal, before: readonly ReportedWarning[]): void {
    for (const { kind, rule_id, blind } of record.warnings.filter((warning) => !before.includes(warning))) {
      if (kind === 'blind') this.#options.evidence?.noteSight(terminalId, 'blind', { rule_id, reason: blind });
      if (kind === 'sees_again') this.#options.evidence?.noteSight(terminalId, 'sees', { rule_id });
    }
  }

  /** Carries out the terminal's breaches one after the other, in the order in which they were decided. */
  #act(terminal: GuardedTerminal): void {
    const { terminalId: id, record } = terminal;
    const signal = this.#signal;
    if (
      !signal ||
      signal.aborted ||
      this.#acting.has(id) ||
      !record.breaches.some((breach) => isActing(breach) || this.#exposed.has(breach.report.id))
    )
      return;
    const acting = this.#carryOut(terminal, signal).finally(() => this.#acting.delete(id));
    this.#acting.set(id, acting);
  }

  async #carryOut(terminal: GuardedTerminal, signal: AbortSignal): Promise<void> {
    const { terminalId: id, record } = terminal;
    const { actions, timing, elapsedMs, evidence, log } = this.#options;
    const save = async () => {
      await this.#save(id);
      this.news.wake();
    };
    for (;;) {
      const isExposed = (each: GuardBreach) => this.#exposed.has(each.report.id);
      const breach = record.breaches.find(isActing) ?? record.breaches.find(isExposed);
      if (!breach || signal.aborted) return;
      const { report } = breach;
      const isAgain = !isActing(breach);
      this.#exposed.delete(report.id);
      // It may have been decided while another one was carried out.
      await save();
      const note = (kind: HostEvidenceKind, body: object) => evidence?.note(report.id, kind, body);
      const options = { actions, save, timing, elapsedMs, note, decidedAtMs: this.#decidedAtMs.get(report.id) };
      if (isAgain) evidence?.noteLatest(report.id, id);
      if (!isAgain) await carryOutBreach(breach, options, signal);
      else if (isHolding(breach)) await closeAgain(breach, options, signal);
      terminal.noteTried(report.id, elapsedMs());
      if (isActing(breach)) return;
      this.#decidedAtMs.delete(report.id);
      const failed = report.actions.filter(({ ok }) => !ok).map(({ action }) => action);
      const terms = { terminal_id: id, breach_id: report.id, closed: report.closed, total: report.total, failed };
      log.warn(terms, isAgain ? 'a risk rule has closed what was opened' : 'a risk rule has acted');
    }
  }

  #save(terminalId: string): Promise<void> {
    const terminal = this.#terminals.get(terminalId);
    return terminal ? this.#saver.save(terminalId, terminal.record) : Promise.resolve();
  }

  /** Marks change with every look at a rising equity; the disk need not follow each of them. */
  #saveChanges(): void {
    const elapsedMs = this.#options.elapsedMs();
    if (elapsedMs - this.#savedAtMs < SAVE_MS) return;
    this.#savedAtMs = elapsedMs;
    for (const [id, terminal] of this.#terminals) if (terminal.isWatched) void this.#save(id);
  }
}
