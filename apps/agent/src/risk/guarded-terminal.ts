/**
 * One terminal that risk rules watch: what they have measured, what was decided, and what the server does not know yet.
 * Its record survives the agent; whatever is in it may be acted on after a restart. It knows neither the disk nor the
 * terminal.
 */
import type { GuardRule, ReportedRiskState, ReportedWarning, RiskMarks } from '@berth/contract/agent';
import {
  isSameAccount,
  isSameServerName,
  MAX_NUMBERS_AGE_MS,
  MAX_RISK_RULES,
  type BlindReason,
} from '@berth/contract/values';
import { evaluateRule, type AccountNumbers, type GuardedAccount } from '@berth/risk';
import { forgetBreach, giveUp, isActing, type GuardBreach } from './guard-breach.ts';
import { HeldBreaches } from './held-breaches.ts';
import { toAbility, toBlind, toDigest } from './rule-state.ts';
import type { SeenNumbers } from './seen-numbers.ts';

/** Accounts whose marks a rule keeps: logging in to another one, and back, begins nothing anew. */
const MAX_ACCOUNTS = 4;
/** Warnings that wait for the server; older ones give way. */
const MAX_WARNINGS = 100;
/** Ended breaches that wait for the server; nothing that still acts is dropped. */
const MAX_BREACHES = 100;
/** How often unchanged numbers are reported again: their age says whether the rule watches. */
const REPORT_UNCHANGED_MS = 30_000;
/** How often changed ones are. */
const REPORT_CHANGED_MS = 5_000;

/** A breach that was being carried out when the host went down is taken up again within this time. */
const RESUME_WITHIN_MS = 3_600_000;

interface RuleMemory {
  rule_id: string;
  /** The account that was looked at last comes last. */
  accounts: RiskMarks[];
  blind: BlindReason | null;
}

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
}

export interface GuardMoment {
  /** By the wall clock, for days and reports. */
  nowMs: number;
  /** By a clock that nobody sets, for ages. */
  elapsedMs: number;
  createId: () => string;
}

interface Seen {
  state: ReportedRiskState;
  reported: string;
  reportedAtMs: number;
}

/** What a look led to. */
export interface Look {
  breaches: GuardBreach[];
  /** Held ones, under which something has to be closed again. */
  exposed: GuardBreach[];
  /** Whether the record has something new that must not be lost, such as the start of a day. */
  isImportant: boolean;
}

/** The longer of both: the one clock can be set, and the other one stands still while the machine sleeps. */
const toAgeMs = (seenAt: { nowMs: number; elapsedMs: number }, { nowMs, elapsedMs }: GuardMoment): number =>
  Math.max(elapsedMs - seenAt.elapsedMs, nowMs - seenAt.nowMs);

export class GuardedTerminal {
  readonly terminalId: string;
  readonly record: TerminalRecord;
  readonly #seen = new Map<string, Seen>();
  readonly #held: HeldBreaches;
  #released: ReadonlySet<string> | undefined;
  #account: GuardedAccount = { login: '', server: '' };
  #rules: AppliedRule[] = [];
  #numbers: { numbers: SeenNumbers; seenAt: { nowMs: number; elapsedMs: number } } | undefined;
  #watchedSinceMs: number;

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
    this.#held.apply(
      rules.map(({ rule }) => rule),
      this.#released,
    );
    this.#rules = rules;
    const ids = new Set(rules.map(({ rule }) => rule.id));
    // Those that do not apply now may apply again: what they have measured is not forgotten at once.
    const isApplied = (memory: RuleMemory) => ids.has(memory.rule_id);
    const others = this.record.rules.filter((memory) => !isApplied(memory)).slice(-MAX_RISK_RULES);
    this.record.rules = [...others, ...this.record.rules.filter(isApplied)];
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id);
    for (const { rule, marks } of rules) {
      const memory = this.#remember(rule.id);
      const own = marks && this.#findMarks(memory, marks);
      // The newer of the two: this host may have lost some, or the terminal has been elsewhere in between.
      if (marks && (!own || own.seen_at < marks.seen_at)) this.#noteMarks(memory, marks);
    }
  }

  /** @param seenAt by both clocks */
  note(numbers: SeenNumbers, seenAt: { nowMs: number; elapsedMs: number }): void {
    this.#numbers = { numbers, seenAt };
  }

  /** Looks at the numbers with every rule. */
  look(moment: GuardMoment): Look {
    const seen = this.#numbers;
    const numbers = seen && { ...seen.numbers, ageMs: toAgeMs(seen.seenAt, moment) };
    const look: Look = { breaches: [], exposed: [], isImportant: false };
    for (const { rule } of this.#rules) this.#lookWith(rule, numbers, moment, look);
    return look;
  }

  #lookWith(
    rule: GuardRule,
    numbers: (SeenNumbers & AccountNumbers) | undefined,
    moment: GuardMoment,
    look: Look,
  ): void {
    const memory = this.#remember(rule.id);
    const before = this.#findMarks(memory, this.#account);
    const { nowMs, elapsedMs, createId } = moment;
    const suspended = this.record.breaches.find(({ report, isSuspended }) => isSuspended && report.rule_id === rule.id);
    const input = {
      rule,
      account: this.#account,
      numbers,
      marks: before,
      nowMs,
      breachId: suspended?.report.id ?? createId(),
      released: this.#released,
    };
    const verdict = evaluateRule(input);
    const about = { terminal_id: this.terminalId, rule_id: rule.id };
    const ability = toAbility(rule, numbers);
    if (verdict.blind !== undefined) {
      const { blind } = verdict;
      const last = this.#seen.get(rule.id)?.state ?? { used: null, limit: null, warn_at: null, as_of: null };
      const { used, limit, warn_at, as_of } = last;
      this.#see({ ...about, ...ability, used, limit, warn_at, as_of, blind, ...(before ? { marks: before } : {}) });
      // Whoever has just begun has not seen anything yet.
      const isEarly = !numbers && elapsedMs - this.#watchedSinceMs < MAX_NUMBERS_AGE_MS;
      // Accounts of another currency are not what the rule is for.
      if (memory.blind !== null || isEarly || blind === 'other_currency') return;
      memory.blind = blind;
      this.#warn({ ...about, kind: 'blind', blind, at: nowMs, used: null, limit: null }, createId);
      look.isImportant = true;
      return;
    }
    const { marks, used, limit, warnAt, breach, isNearLimit } = verdict;
    this.#noteMarks(memory, marks);
    const as_of = nowMs - Math.round(numbers?.ageMs ?? 0);
    this.#see({ ...about, ...ability, used, limit, warn_at: warnAt, as_of, blind: null, marks });
    const warning = { ...about, blind: null, at: nowMs, used, limit };
    if (memory.blind !== null) this.#warn({ ...warning, kind: 'sees_again' }, createId);
    if (isNearLimit) this.#warn({ ...warning, kind: 'near_limit' }, createId);
    const isNewDay = before?.days.at(-1)?.at !== marks.days.at(-1)?.at;
    look.isImportant ||= memory.blind !== null || isNearLimit || isNewDay || before?.breach_id !== marks.breach_id;
    memory.blind = null;
    look.isImportant ||= suspended !== undefined;
    const { standing } = verdict;
    const held = numbers && this.#held.look({ rule, account: this.#account, standing, numbers, elapsedMs });
    look.exposed.push(...(held?.exposed ?? []));
    look.isImportant ||= held?.hasEnded === true;
    if (breach && suspended) {
      delete suspended.isSuspended;
      look.breaches.push(suspended);
    } else if (breach) look.breaches.push(this.#begin(rule, breach, nowMs));
    else if (suspended && !verdict.isWaiting) giveUp(suspended, nowMs);
  }

  #begin(
    rule: GuardRule,
    { id, value, limit }: { id: string; value: string; limit: string },
    nowMs: number,
  ): GuardBreach {
    const about = { id, terminal_id: this.terminalId, rule_id: rule.id, decided_at: nowMs, value, limit };
    const begun = { first_order_ms: null, closed: 0, total: 0, left_open: [], actions: [], has_ended: false };
    const { login, server } = this.#account;
    const breach: GuardBreach = {
      report: { ...about, ...begun, phase: 'acting' },
      actions: [...rule.actions],
      account: { login, server },
    };
    const { breaches } = this.record;
    const oldest = breaches.findIndex(({ report }) => report.has_ended);
    if (breaches.length >= MAX_BREACHES && oldest >= 0) breaches.splice(oldest, 1);
    breaches.push(breach);
    return breach;
  }

  #warn(warning: Omit<ReportedWarning, 'id'>, createId: () => string): void {
    this.record.warnings = [...this.record.warnings, { id: createId(), ...warning }].slice(-MAX_WARNINGS);
  }

  #see(state: ReportedRiskState): void {
    const known = this.#seen.get(state.rule_id);
    if (known) known.state = state;
    else this.#seen.set(state.rule_id, { state, reported: '', reportedAtMs: -Infinity });
  }

  #remember(ruleId: string): RuleMemory {
    const known = this.record.rules.find((memory) => memory.rule_id === ruleId);
    if (known) return known;
    const memory: RuleMemory = { rule_id: ruleId, accounts: [], blind: null };
    this.record.rules.push(memory);
    return memory;
  }

  /**
   * An address may mean any server. So the same name counts first, and without one only marks that are the only ones:
   * those of another account are never used.
   */
  #findMarks({ accounts }: RuleMemory, account: GuardedAccount): RiskMarks | undefined {
    const possible = accounts.filter((marks) => isSameAccount(marks, account));
    const named = possible.findLast(({ server }) => isSameServerName(server, account.server));
    return named ?? (possible.length === 1 ? possible[0] : undefined);
  }

  #noteMarks(memory: RuleMemory, marks: RiskMarks): void {
    const former = this.#findMarks(memory, marks);
    const others = memory.accounts.filter((each) => each !== former);
    memory.accounts = [...others, marks].slice(-MAX_ACCOUNTS);
  }

  /** What is open now was tried to be closed under this breach. */
  noteTried(id: string, elapsedMs: number): void {
    if (this.#numbers) this.#held.noteTried(id, this.#numbers.numbers, elapsedMs);
  }

  /** States that the server should know. */
  listNews(elapsedMs: number): ReportedRiskState[] {
    return [...this.#seen.values()].flatMap(({ state, reported, reportedAtMs }) => {
      const sinceMs = elapsedMs - reportedAtMs;
      const isDue = sinceMs >= (toDigest(state) === reported ? REPORT_UNCHANGED_MS : REPORT_CHANGED_MS);
      return isDue || state.blind !== toBlind(reported) ? [state] : [];
    });
  }

  /** The server has them. */
  noteReported(state: ReportedRiskState, elapsedMs: number): void {
    const known = this.#seen.get(state.rule_id);
    if (known) Object.assign(known, { reported: toDigest(state), reportedAtMs: elapsedMs });
  }

  /**
   * Suspends breaches that nobody carried out for too long: their numbers are old. The next numbers decide whether they go
   * on, under the same id, or end. One whose rule does not apply any more ends.
   * @returns whether there were any
   */
  suspendOldBreaches(nowMs: number): boolean {
    const old = this.record.breaches.filter(
      (breach) => isActing(breach) && Math.abs(nowMs - breach.report.decided_at) > RESUME_WITHIN_MS,
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
    for (const known of this.#seen.values()) known.reportedAtMs = -Infinity;
  }
}
