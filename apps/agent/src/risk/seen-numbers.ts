import type { TradeDenial } from '@berth/contract/values';
import type { AccountNumbers } from '@berth/risk';

/** The numbers of an account, as they were seen. */
export interface SeenNumbers extends Omit<AccountNumbers, 'ageMs'> {
  /** What stands against orders; absent: not known. */
  deniedBy?: readonly TradeDenial[] | undefined;
  /** What else the terminal reported, for evidence. Absent: not known. */
  describeReport?: (() => object) | undefined;
  /** What is open: its tickets, and its prices. Absent: not known. */
  describeOpen?: (() => { tickets: string; prices: string }) | undefined;
}
