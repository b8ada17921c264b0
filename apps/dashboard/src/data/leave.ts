/** Leaving the dashboard: to the sign-in page, with the reason, and back afterwards. Set up by `main.tsx`. */

export type WhyLeft = 'expired' | 'signed-out' | 'reset';

let go: (why: WhyLeft) => void = () => undefined;

export const onLeave = (way: (why: WhyLeft) => void): void => {
  go = way;
};

export const leave = (why: WhyLeft): void => go(why);
