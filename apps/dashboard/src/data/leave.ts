/** Leaving the dashboard: to the sign-in page, with the reason, and back afterwards. Set up by `main.tsx`. */

import { AuthenticationError, PermissionError } from '@berth/client';

export type WhyLeft = 'expired' | 'suspended' | 'signed-out' | 'reset';

/** Why the server no longer answers this session; undefined where it does, and only refused something. */
export const toWhyLeft = (error: unknown): WhyLeft | undefined => {
  if (error instanceof AuthenticationError) return 'expired';
  return error instanceof PermissionError && error.code === 'account_suspended' ? 'suspended' : undefined;
};

let go: (why: WhyLeft) => void = () => undefined;

export const onLeave = (way: (why: WhyLeft) => void): void => {
  go = way;
};

export const leave = (why: WhyLeft): void => go(why);
