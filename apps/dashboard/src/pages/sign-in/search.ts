import type { WhyLeft } from '../../data/leave.ts';

export interface SignInSearch {
  /** The page to return to: a path of this dashboard. */
  back?: string;
  why?: WhyLeft;
}

const reasons: readonly WhyLeft[] = ['expired', 'suspended', 'signed-out', 'reset'];

/** A path of ours, and nothing that a browser would take for another site: `//evil.example`, `/\evil.example`. */
const isOwnPath = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\/(?![/\\])/.test(value) &&
  !/[\\\p{Cc}]/u.test(value) &&
  !value.startsWith('/sign-in');

export const toSignInSearch = ({ back, why }: Record<string, unknown>): SignInSearch => {
  const reason = reasons.find((known) => known === why);
  return { ...(isOwnPath(back) ? { back } : {}), ...(reason === undefined ? {} : { why: reason }) };
};
