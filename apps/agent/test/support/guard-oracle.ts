/**
 * What one rule has to do, and may do, by what was visible of its account: thought out a second time, on what the
 * simulation knows and no agent does.
 */
import type { GuardRule } from '@berth/contract/agent';
import type { GuardWorld } from './guard-world.ts';

/** For so long beyond the limit, and beyond the time that the rule waits, a breach may be visible without being decided. */
const TOLERANCE_MS = 2_000;

export class RuleOracle {
  readonly #world: GuardWorld;
  #rule: GuardRule;
  /** In cents: the rule acts at this equity. */
  #level: number;
  /** Since when all visible looks were beyond the limit, by a clock that nobody sets. */
  #sinceMs: number | undefined;
  /** The same for a rule that has to begin anew after a clock was set back while no agent ran. */
  #surelySinceMs: number | undefined;
  /** By breaches of before, which people have ended. */
  #former: ReadonlySet<string> = new Set();
  /** Armed again by what is opened; after new marks also by an account within the limit. */
  #released: { isReset: boolean } | undefined;
  #mayAct = false;
  #mustAct = false;
  touches = 0;
  readonly problems = new Set<string>();

  constructor(world: GuardWorld, rule: GuardRule) {
    this.#world = world;
    this.#rule = rule;
    this.#level = this.#toLevel(rule, world.balance);
  }

  get #isFloor(): boolean {
    return this.#rule.kind === 'equity_floor';
  }
  get #decided(): string[] {
    return [...this.#world.listDecided(this.#rule.id)].filter((id) => !this.#former.has(id));
  }

  #toLevel({ kind, amount }: GuardRule, balance: number): number {
    return Math.round((kind === 'equity_floor' ? Number(amount) : balance - Number(amount)) * 100);
  }

  pay(amount: number): void {
    if (!this.#isFloor) this.#level += amount * 100;
  }

  /** The clock of the host was set while no agent ran: it cannot know for how long it was away. */
  setClock(byMs: number): void {
    if (this.#sinceMs !== undefined) this.#sinceMs -= Math.max(0, byMs);
    if (byMs < 0) this.#surelySinceMs = undefined;
  }

  change(rule: GuardRule): void {
    this.#level -= Math.abs(Number(rule.amount) - Number(this.#rule.amount)) * 100;
    this.#rule = rule;
  }

  /** A person has ended its breaches, if it has any. */
  unlock(isReset: boolean): void {
    const decided = this.#decided;
    if (decided.length === 0) return;
    this.#former = this.#world.listDecided(this.#rule.id);
    [this.#mayAct, this.#mustAct, this.#sinceMs, this.#surelySinceMs] = [false, false, undefined, undefined];
    this.#released = { isReset };
    if (isReset) this.#level = this.#toLevel(this.#rule, this.#world.balance);
  }

  /** The terminal shows right numbers to an agent that runs. */
  see(): void {
    const { equity, elapsedMs, open, pending } = this.#world;
    if (this.#decided.length > 0) return;
    const isBeyond = Math.round(equity * 100) <= this.#level;
    const isArmed = open + pending > 0 || (this.#released?.isReset === true && !isBeyond);
    if (isArmed) this.#released = undefined;
    if (this.#released) return;
    const { confirm_ms: confirmMs = 0 } = this.#rule;
    if (!isBeyond) {
      if (this.#sinceMs !== undefined && confirmMs > 0) this.touches += 1;
      [this.#sinceMs, this.#surelySinceMs] = [undefined, undefined];
      return;
    }
    this.#sinceMs ??= elapsedMs;
    this.#surelySinceMs ??= elapsedMs;
    this.#mustAct ||= elapsedMs - this.#surelySinceMs >= confirmMs + TOLERANCE_MS;
  }

  /** After the guard had its time. */
  check(): void {
    const { elapsedMs, acted, reports } = this.#world;
    const { confirm_ms: confirmMs = 0, id } = this.#rule;
    const decided = this.#decided;
    this.#mayAct ||= this.#sinceMs !== undefined && elapsedMs - this.#sinceMs >= confirmMs;
    if (decided.length > 0 && !this.#mayAct) this.problems.add('acted without a breach');
    if (decided.length === 0 && this.#mustAct) this.problems.add('missed a breach');
    if (decided.filter((each) => acted.has(each)).length > 1) this.problems.add('acted twice');
    for (const { id: breach, rule_id, phase, actions } of reports.values()) {
      const hasClosed = actions.some(({ action, ok }) => action === 'close_all' && ok);
      const isHeld = phase !== 'ended' || this.#former.has(breach);
      if (rule_id === id && hasClosed && !isHeld) this.problems.add('let go of what it held');
    }
  }
}
