/**
 * One terminal that risk rules watch: what they have measured, what was decided, and what the server does not know yet.
 * Its record survives the agent; whatever is in it may be acted on after a restart. It knows neither the disk nor the
 * terminal.
 */
import type { GuardRule, ReportedRiskState, ReportedWarning, RiskMarks } from '@berth/contract/agent';
import { MAX_NUMBERS_AGE_MS, type BlindReason } from '@berth/contract/values';
import { evaluateRule, type AccountNumbers, type GuardedAccount, type GuardVerdict } from '@berth/risk';
import { beginBreach, forgetBreach, giveUp, hasLetGo, isActing, type GuardBreach } from './guard-breach.ts';
import { HeldBreaches } from './held-breaches.ts';
import {
  ensureMemory,
  findMarks,
  moveWaits,
  noteMarks,
  sortMemories,
  takeMarks,
  withReset,
  type RuleMemory,
} from './rule-memory.ts';
import { RuleStates, toAbility, type SeenNumbers } from './rule-state.ts';

/** Warnings that wait for the server; older ones give way. */
const MAX_WARNINGS = 100;
/** Ended breaches that wait for the server; nothing that still acts is dropped. */
const MAX_BREACHES = 100;
/** A breach that was being carried out when the host went down is taken up again within this time. */
const RESUME_WITHIN_MS = 3_600_000;
/** Two clocks that go apart by more between two looks: one of them was set. */
const CLOCK_STEP_MS = 1_000;

/** What is kept on the disk. */
export interface TerminalRecord {
  rules: RuleMemory[];
  breaches: GuardBreach[];
  warnings: ReportedWarning[];
}

/** A rule, and its marks as the server has them. */
export interface AppliedRule {
  rule: GuardRule;
  marks: RiskMarks | undefined;
  /** The breach whose unlock lets the marks begin anew; absent: none does. */
  reset?: string | undefined;
}

export interface GuardMoment {
  /** By the wall clock, for days and reports. */
  nowMs: number;
  /** By a clock that nobody sets, for ages. */
  elapsedMs: number;
  createId: () => string;
}

/** What a look led to. */
export interface Look {
  breaches: GuardBreach[];
  /** Held ones, under which something has to be closed again. */
  exposed: GuardBreach[];
  /** Whether the record has something new that must not be lost, such as the start of a day. */
  isImportant: boolean;
}

/** What one rule looks at, and what it has measured before. */
interface RuleLook {
  rule: GuardRule;
  about: { terminal_id: string; rule_id: string };
  memory: RuleMemory;
  before: RiskMarks | undefined;
  numbers: (SeenNumbers & AccountNumbers) | undefined;
  moment: GuardMoment;
}
type Decision = Extract<GuardVerdict, { blind: undefined }>;

/** The longer of both: the one clock can be set, and the other one stands still while the machine sleeps. */
const toAgeMs = (seenAt: { nowMs: number; elapsedMs: number }, { nowMs, elapsedMs }: GuardMoment): number =>
  Math.max(elapsedMs - seenAt.elapsedMs, nowMs - seenAt.nowMs);

/** Whether the marks have something new that a crash must not undo. */
const hasNews = (before: RiskMarks | undefined, marks: RiskMarks): boolean =>
  before?.days.at(-1)?.at !== marks.days.at(-1)?.at ||
  before?.breach_id !== marks.breach_id ||
  before?.beyond_since !== marks.beyond_since ||
  before?.reset !== marks.reset;

export class GuardedTerminal {
  readonly terminalId: string;
  readonly record: TerminalRecord;
  readonly #states = new RuleStates();
  readonly #held: HeldBreaches;
  #released: ReadonlySet<string> | undefined;
  #account: GuardedAccount = { login: '', server: '' };
  #rules: AppliedRule[] = [];
  #numbers: { numbers: SeenNumbers; seenAt: { nowMs: number; elapsedMs: number } } | undefined;
  #watchedSinceMs: number;
  /** What the wall clock shows more than the one that nobody sets. */
  #clockAheadMs: number | undefined;

  constructor(terminalId: string, record: TerminalRecord | undefined, elapsedMs: number) {
    this.terminalId = terminalId;
    this.record = record ?? { rules: [], breaches: [], warnings: [] };
    this.#watchedSinceMs = elapsedMs;
    this.#held = new HeldBreaches(this.record);
  }

  get isWatched(): boolean {
    return this.#rules.length > 0;
  }

  /** Nothing more has to be done or reported for it. */
  get isDone(): boolean {
    return !this.isWatched && this.record.breaches.length === 0 && this.record.warnings.length === 0;
  }

  /** The rules from now on. What a rule has measured stays with it; what has been decided is carried out anyway. */
  apply(account: GuardedAccount, rules: AppliedRule[], released?: readonly string[]): void {
    this.#account = account;
    this.#released = released && new Set(released);
    this.#rules = rules;
    this.#held.apply(
      rules.map(({ rule }) => rule),
      this.#released,
    );
    const ids = new Set(rules.map(({ rule }) => rule.id));
    this.record.rules = sortMemories(this.record.rules, ids);
    this.#states.keepOnly(ids);
    for (const { rule, marks, reset } of rules) {
      const memory = ensureMemory(this.record.rules, rule.id);
      if (marks) takeMarks(memory, marks, reset);
    }
  }

  /** @param seenAt by both clocks */
  note(numbers: SeenNumbers, seenAt: { nowMs: number; elapsedMs: number }): void {
    this.#numbers = { numbers, seenAt };
  }

  /** Looks at the numbers with every rule. */
  look(moment: GuardMoment): Look {
    const wasClockSet = this.#noteClock(moment);
    const seen = this.#numbers;
    const numbers = seen && { ...seen.numbers, ageMs: toAgeMs(seen.seenAt, moment) };
    const look: Look = { breaches: [], exposed: [], isImportant: this.#held.endWithoutRule() || wasClockSet };
    for (const applied of this.#rules) this.#lookWith(applied, numbers, moment, look);
    return look;
  }

  /** A clock that is set makes no wait for the confirmation of a breach longer, or shorter. @returns whether there is one */
  #noteClock({ nowMs, elapsedMs }: GuardMoment): boolean {
    const aheadMs = nowMs - elapsedMs;
    const byMs = aheadMs - (this.#clockAheadMs ?? aheadMs);
    this.#clockAheadMs = aheadMs;
    return Math.abs(byMs) >= CLOCK_STEP_MS && moveWaits(this.record.rules, byMs);
  }

  #lookWith({ rule, reset }: AppliedRule, numbers: RuleLook['numbers'], moment: GuardMoment, look: Look): void {
    const { breaches } = this.record;
    const memory = ensureMemory(this.record.rules, rule.id);
    const before = findMarks(memory, this.#account);
    const suspended = breaches.find(({ report, isSuspended }) => isSuspended && report.rule_id === rule.id);
    const verdict = evaluateRule({
      // What was decided by a rule as it was is looked at again by the same.
      rule: suspended?.rule ?? rule,
      account: this.#account,
      numbers,
      marks: withReset(memory, before, reset),
      nowMs: moment.nowMs,
      breachId: suspended?.report.id ?? moment.createId(),
      released: this.#released,
      reset,
      findRule: (id) => breaches.find(({ report }) => report.id === id && !report.has_ended)?.rule,
    });
    const about = { terminal_id: this.terminalId, rule_id: rule.id };
    const ruleLook: RuleLook = { rule, about, memory, before, numbers, moment };
    if (verdict.blind !== undefined) {
      look.isImportant = this.#noteBlind(ruleLook, verdict.blind) || look.isImportant;
      return;
    }
    const { marks, standing, breach, isWaiting } = verdict;
    const hasWarned = this.#noteSeen(ruleLook, verdict);
    const held = numbers && this.#held.look({ rule, account: this.#account, standing, numbers, ...moment });
    look.exposed.push(...(held?.exposed ?? []));
    look.isImportant ||= hasWarned || hasNews(before, marks) || suspended !== undefined || held?.hasEnded === true;
    if (breach && suspended) {
      delete suspended.isSuspended;
      look.breaches.push(suspended);
    } else if (breach) look.breaches.push(this.#begin(rule, breach, moment.nowMs));
    else if (suspended && !isWaiting) giveUp(suspended, moment.nowMs);
  }

  /** @returns whether there is a warning */
  #noteBlind({ rule, about, memory, before, numbers, moment }: RuleLook, blind: BlindReason): boolean {
    const last = this.#states.find(rule.id) ?? { used: null, limit: null, warn_at: null, as_of: null };
    const { used, limit, warn_at, as_of } = last;
    const known = { used, limit, warn_at, as_of, ...(before ? { marks: before } : {}) };
    this.#states.see({ ...about, ...toAbility(rule, numbers), ...known, blind });
    // Whoever has just begun has not seen anything yet.
    const isEarly = !numbers && moment.elapsedMs - this.#watchedSinceMs < MAX_NUMBERS_AGE_MS;
    // Accounts of another currency are not what the rule is for.
    if (memory.blind !== null || isEarly || blind === 'other_currency') return false;
    memory.blind = blind;
    this.#warn({ ...about, kind: 'blind', blind, at: moment.nowMs, used: null, limit: null }, moment);
    return true;
  }

  /** @returns whether there is a warning */
  #noteSeen({ rule, about, memory, numbers, moment }: RuleLook, decision: Decision): boolean {
    const { marks, used, limit, warnAt, isNearLimit, touched } = decision;
    noteMarks(memory, marks);
    const as_of = moment.nowMs - Math.round(numbers?.ageMs ?? 0);
    this.#states.see({
      ...about,
      ...toAbility(rule, numbers),
      used,
      limit,
      warn_at: warnAt,
      as_of,
      blind: null,
      marks,
    });
    const warning = { ...about, blind: null, at: moment.nowMs, used, limit };
    const seesAgain = memory.blind !== null;
    memory.blind = null;
    if (seesAgain) this.#warn({ ...warning, kind: 'sees_again' }, moment);
    if (isNearLimit) this.#warn({ ...warning, kind: 'near_limit' }, moment);
    if (touched !== undefined) this.#warn({ ...warning, kind: 'touched', used: touched }, moment);
    return seesAgain || isNearLimit || touched !== undefined;
  }

  #begin(rule: GuardRule, found: { id: string; value: string; limit: string }, nowMs: number): GuardBreach {
    const breach = beginBreach(rule, { ...found, terminalId: this.terminalId, account: this.#account, nowMs });
    const { breaches } = this.record;
    const oldest = breaches.findIndex(({ report }) => report.has_ended);
    if (breaches.length >= MAX_BREACHES && oldest >= 0) breaches.splice(oldest, 1);
    breaches.push(breach);
    return breach;
  }

  #warn(warning: Omit<ReportedWarning, 'id'>, { createId }: GuardMoment): void {
    this.record.warnings = [...this.record.warnings, { id: createId(), ...warning }].slice(-MAX_WARNINGS);
  }

  /** What is open now was tried to be closed under this breach. */
  noteTried(id: string, elapsedMs: number): void {
    if (this.#numbers) this.#held.noteTried(id, this.#numbers.numbers, elapsedMs);
  }

  /** States that the server should know. */
  listNews(elapsedMs: number): ReportedRiskState[] {
    return this.#states.listNews(elapsedMs);
  }

  /** The server has them. */
  noteReported(state: ReportedRiskState, elapsedMs: number): void {
    this.#states.noteReported(state, elapsedMs);
  }

  /**
   * Suspends breaches that nobody carried out for too long: their numbers are old. The next numbers decide whether they go
   * on, under the same id, or end. One whose rule does not apply any more ends.
   * @returns whether there were any
   */
  suspendOldBreaches(nowMs: number): boolean {
    const old = this.record.breaches.filter(
      (breach) =>
        isActing(breach) && !hasLetGo(breach) && Math.abs(nowMs - breach.report.decided_at) > RESUME_WITHIN_MS,
    );
    for (const breach of old) {
      const { id, rule_id } = breach.report;
      for (const { accounts } of this.record.rules) for (const marks of accounts) forgetBreach(marks, id);
      if (this.#rules.some(({ rule }) => rule.id === rule_id)) breach.isSuspended = true;
      else giveUp(breach, nowMs);
    }
    return old.length > 0;
  }

  /** The server may have lost what was reported. */
  reportAgain(): void {
    this.#states.reportAgain();
  }
}
