/** What a rule remembers of the accounts that a terminal is logged in to, one after the other. */
import type { RiskMarks } from '@berth/contract/agent';
import {
  isSameAccount,
  isSameServerName,
  MAX_RISK_RULES,
  type AccountName,
  type BlindReason,
} from '@berth/contract/values';

/** Accounts whose marks a rule keeps: logging in to another one, and back, begins nothing anew. */
const MAX_ACCOUNTS = 4;

export interface RuleMemory {
  rule_id: string;
  /** The account that was looked at last comes last. */
  accounts: RiskMarks[];
  blind: BlindReason | null;
}

/** Adds one where there is none. */
export const ensureMemory = (memories: RuleMemory[], ruleId: string): RuleMemory => {
  const known = memories.find((memory) => memory.rule_id === ruleId);
  if (known) return known;
  const memory: RuleMemory = { rule_id: ruleId, accounts: [], blind: null };
  memories.push(memory);
  return memory;
};

/** Rules that do not apply now may apply again: what they have measured is not forgotten at once. */
export const sortMemories = (memories: readonly RuleMemory[], applied: ReadonlySet<string>): RuleMemory[] => {
  const isApplied = (memory: RuleMemory) => applied.has(memory.rule_id);
  const others = memories.filter((memory) => !isApplied(memory)).slice(-MAX_RISK_RULES);
  return [...others, ...memories.filter(isApplied)];
};

/**
 * An address may mean any server. So the same name counts first, and without one only marks that are the only ones:
 * those of another account are never used.
 */
export const findMarks = ({ accounts }: RuleMemory, account: AccountName): RiskMarks | undefined => {
  const possible = accounts.filter((marks) => isSameAccount(marks, account));
  const named = possible.findLast(({ server }) => isSameServerName(server, account.server));
  return named ?? (possible.length === 1 ? possible[0] : undefined);
};

export const noteMarks = (memory: RuleMemory, marks: RiskMarks): void => {
  const former = findMarks(memory, marks);
  const others = memory.accounts.filter((each) => each !== former);
  memory.accounts = [...others, marks].slice(-MAX_ACCOUNTS);
};

/**
 * Takes the marks that the server has, where they are newer: this host may have lost some, or the terminal has been
 * elsewhere in between. Those that have begun anew as asked are newer than others, whatever the clocks said.
 */
export const takeMarks = (memory: RuleMemory, marks: RiskMarks, reset: string | undefined): void => {
  const own = findMarks(memory, marks);
  const isReset = (each: RiskMarks) => reset !== undefined && each.reset === reset;
  if (!own || (isReset(own) === isReset(marks) ? own.seen_at < marks.seen_at : isReset(marks)))
    noteMarks(memory, marks);
};

/** A person asks for it once, of the account of then: another one that is logged in to later keeps its marks. */
export const withReset = (
  { accounts }: RuleMemory,
  marks: RiskMarks | undefined,
  reset: string | undefined,
): RiskMarks | undefined =>
  marks && reset !== undefined && accounts.some((each) => each.reset === reset) ? { ...marks, reset } : marks;

/** The clock was set by so much: nobody has waited longer, or less long. @returns whether any rule waits */
export const moveWaits = (memories: readonly RuleMemory[], byMs: number): boolean => {
  const waiting = memories.flatMap(({ accounts }) => accounts.filter((marks) => marks.beyond_since !== undefined));
  for (const marks of waiting) marks.beyond_since = Math.max(0, Math.round((marks.beyond_since ?? 0) + byMs));
  return waiting.length > 0;
};
