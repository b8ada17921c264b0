/** What a rule knows of an account, and whether it may act on it. */
import type { GuardRule } from '@berth/contract/agent';
import { isSameAccount, MAX_NUMBERS_AGE_MS, type AccountName, type BlindReason } from '@berth/contract/values';
import { parseDecimal } from './decimal.ts';

/** The account that a terminal is meant for. */
export interface GuardedAccount extends AccountName {
  /** What it began with; absent or null: not known. */
  initial_balance?: string | null | undefined;
}

/** What is known of an account's deposits and withdrawals. */
export interface CashFlows {
  /** The newest deal that is known, of whatever kind; null: there is none yet. */
  until: string | null;
  /** All that have come since the rule looked last, and perhaps earlier ones. */
  flows: readonly { ticket: string; amount: string }[];
}

/** The numbers of a terminal's account. */
export interface AccountNumbers extends AccountName {
  balance: string;
  equity: string;
  /** What the broker has lent, which equity contains; absent: nothing. */
  credit?: string | undefined;
  /** Absent: not known, and taken to be the rule's. */
  currency?: string | undefined;
  /** The newest deal that the balance contains; null: there is none yet. */
  lastDeal?: string | null | undefined;
  /** Absent: nothing is known of deposits and withdrawals, and they count as results. */
  cash?: CashFlows | undefined;
  /** The volume of each open position, in lots; of some of them, where there are too many to list. */
  volumes: readonly string[];
  /** How many positions are open. */
  positions: number;
  /** How many orders are pending; absent: not known. */
  orders?: number | undefined;
  /** Whether the terminal has everything that its trading server has. */
  isSynchronised: boolean;
  /** Whether it is connected to its trading server: one that is not shows what it has loaded. Absent: not known. */
  isConnected?: boolean | undefined;
  /**
   * How old the last price of what is held was when the numbers were written, where a market of it is open. Absent or null:
   * there is none, or nobody knows.
   */
  tickAgeMs?: number | null | undefined;
  /** Measured by a clock that nobody sets. */
  ageMs: number;
}

/** The numbers as units. */
export interface AccountUnits {
  balance: bigint;
  /** Without credit: it is the broker's, and taken away at any time. */
  equity: bigint;
  /** Of the positions that are listed. */
  volume: bigint;
  positions: number;
  /** Whether all positions are listed. */
  isComplete: boolean;
  ageMs: number;
}

/** Why nothing may be decided on these numbers; undefined where it may. */
export const findBlindReason = (
  { currency }: GuardRule,
  account: GuardedAccount,
  numbers: AccountNumbers | undefined,
): BlindReason | undefined => {
  if (!numbers) return 'no_numbers';
  if (!isSameAccount(numbers, account)) return 'other_account';
  const { ageMs, tickAgeMs } = numbers;
  if (!(ageMs >= 0 && ageMs <= MAX_NUMBERS_AGE_MS)) return 'old_numbers';
  if (!numbers.isSynchronised || numbers.isConnected === false) return 'not_synchronised';
  // A file may be written again and again over prices that have stopped.
  if (typeof tickAgeMs === 'number' && !(tickAgeMs + ageMs <= MAX_NUMBERS_AGE_MS)) return 'old_numbers';
  if (!toAccountUnits(numbers)) return 'no_numbers';
  const isKnown = typeof currency === 'string' && numbers.currency !== undefined;
  return isKnown && numbers.currency !== currency ? 'other_currency' : undefined;
};

/** Undefined where one of the texts is not a number: nothing is concluded from the others then. */
export const toAccountUnits = (numbers: AccountNumbers): AccountUnits | undefined => {
  const { volumes, positions } = numbers;
  const [balance, equity, credit] = [numbers.balance, numbers.equity, numbers.credit ?? '0'].map(parseDecimal);
  if (balance === undefined || equity === undefined || credit === undefined) return undefined;
  if (!Number.isSafeInteger(positions) || positions < volumes.length) return undefined;
  let volume = 0n;
  for (const text of volumes) {
    const lots = parseDecimal(text);
    if (lots === undefined || lots < 0n) return undefined;
    volume += lots;
  }
  const isComplete = positions === volumes.length;
  return { balance, equity: equity - credit, volume, positions, isComplete, ageMs: numbers.ageMs };
};
