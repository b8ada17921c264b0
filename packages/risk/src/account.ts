/** What a rule knows of an account, and whether it may act on it. */
import { isSameAccount, MAX_NUMBERS_AGE_MS, type AccountName, type BlindReason } from '@berth/contract/values';
import { parseDecimal } from './decimal.ts';

/** The account that a terminal is meant for. */
export type GuardedAccount = AccountName;

/** The numbers of a terminal's account. */
export interface AccountNumbers extends GuardedAccount {
  balance: string;
  equity: string;
  /** The volume of each open position, in lots; of some of them, where there are too many to list. */
  volumes: readonly string[];
  /** How many positions are open. */
  positions: number;
  /** Whether the terminal has everything that its trading server has. */
  isSynchronised: boolean;
  /** Measured by a clock that nobody sets. */
  ageMs: number;
}

/** The numbers as units. */
export interface AccountUnits {
  balance: bigint;
  equity: bigint;
  volume: bigint;
  positions: number;
}

/** Why nothing may be decided on these numbers; undefined where it may. */
export const findBlindReason = (
  account: GuardedAccount,
  numbers: AccountNumbers | undefined,
): BlindReason | undefined => {
  if (!numbers) return 'no_numbers';
  if (!isSameAccount(numbers, account)) return 'other_account';
  if (!(numbers.ageMs >= 0 && numbers.ageMs <= MAX_NUMBERS_AGE_MS)) return 'old_numbers';
  if (!numbers.isSynchronised) return 'not_synchronised';
  return toAccountUnits(numbers) ? undefined : 'no_numbers';
};

/** Undefined where one of the texts is not a number: nothing is concluded from the others then. */
export const toAccountUnits = ({ balance, equity, volumes, positions }: AccountNumbers): AccountUnits | undefined => {
  const [balanceUnits, equityUnits] = [parseDecimal(balance), parseDecimal(equity)];
  if (balanceUnits === undefined || equityUnits === undefined) return undefined;
  if (!Number.isSafeInteger(positions) || positions < volumes.length) return undefined;
  let volume = 0n;
  for (const text of volumes) {
    const lots = parseDecimal(text);
    if (lots === undefined || lots < 0n) return undefined;
    volume += lots;
  }
  return { balance: balanceUnits, equity: equityUnits, volume, positions };
};
