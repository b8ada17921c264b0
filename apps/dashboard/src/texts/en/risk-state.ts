/** How a rule fares at a terminal: what its limit counts from, when its day ends, and what to do where it can't watch or act. */
import { highs } from './risk.ts';

export const riskState = {
  /** What a limit counts from. */
  from: {
    daily_loss: {
      day_start: (amount: string) => `Counts from ${amount}, as the day began.`,
      first_numbers: (amount: string) =>
        `Counts from ${amount}, the first figures of the day: there were none as it began.`,
      rule_start: (amount: string) => `Counts from ${amount}, as the rule began today.`,
      reset: (amount: string) => `Counts from ${amount}, as it began anew after an unlock.`,
      unknown: (amount: string) => `Counts from ${amount}, from the day’s start.`,
    },
    dayHigh: 'A higher high of the day counts instead.',
    high: (amount: string, what: keyof typeof highs) => `Counts from ${amount}, ${highs[what]}.`,
    start: (amount: string) => `The rule began at ${amount}.`,
    reset: (amount: string) => `The rule began anew at ${amount}, after an unlock.`,
  },
  dayEnds: (here: string) => `The day ends at ${here}.`,
  dayEndsThere: (here: string, there: string, zone: string) => `The day ends at ${here} (${there} in ${zone}).`,
  terminals: (count: number) =>
    count === 1 ? 'Its terminal' : `Its ${count.toLocaleString()} terminals, nearest first`,
  open: 'Open terminal',
  moreTerminals: (count: number) => `and ${count.toLocaleString()} more`,
  starting: 'It is about to be watched: its host is being told.',
  /** By why a rule is blind. */
  advice: {
    no_numbers: 'Log the terminal in: its first figures come some seconds later.',
    old_numbers: 'Look whether the terminal is connected, and its host online.',
    other_account: 'Log it in to the account that the rule is for.',
    not_synchronised: 'Wait until it has; if that takes minutes, restart the terminal.',
    other_currency: 'Create a rule for that currency, or let this one be for all.',
    unlisted_positions: 'Close some of them.',
    agent_too_old: 'Upgrade the agent of its host.',
    not_reported: 'Look whether its host is online.',
  },
  /** By why a rule can't act. */
  actAdvice: {
    password: 'Log it in with the password that may trade.',
    broker: 'Ask the broker to allow algo trading for the account.',
    expert: 'Restart the terminal: Berth’s program is put back then.',
    terminal: 'Turn algo trading on.',
    unknown: 'Look into the logs of the terminal.',
  },
};
