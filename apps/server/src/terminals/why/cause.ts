/** The first thing that is wrong, and for whom it is said. */
import type { WhyCause, WhyCheckName } from '@berth/contract';

/** What an owner reads names no machine's inside; an operator reads what to do with it. */
export type Reader = 'owner' | 'operator';

/** What is wrong. */
export interface Cause {
  check: WhyCheckName;
  cause: WhyCause;
  /** In one sentence. */
  answer: string;
  /** In its own words, where a host, a rule or a task says more. */
  detail?: string | null | undefined;
  next: string | Record<Reader, string>;
  /** Default: since the terminal came to its status. */
  since?: string | null | undefined;
}
