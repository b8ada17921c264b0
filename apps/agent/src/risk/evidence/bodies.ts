/** What the lines of evidence say. Texts and lists are short: a line is bounded. Pure. */
import { cutText } from '@berth/contract/values';
import type { GuardBreach } from '../guard-breach.ts';
import type { SeenNumbers } from '../rule-state.ts';

/** Tickets of which a line says why they were left; the others are counted. */
const MAX_LISTED = 10;
const MAX_TEXT = 120;

/** Numbers as they were seen. */
export const toNumbersBody = (numbers: SeenNumbers, ageMs: number): object => {
  const { balance, equity, credit, positions, orders, isConnected, isSynchronised, tickAgeMs, deniedBy } = numbers;
  return {
    ...numbers.describeReport?.(),
    age_ms: Math.round(ageMs),
    ...{ balance, equity, credit, positions, orders },
    connected: isConnected ?? null,
    synchronized: isSynchronised,
    tick_age_ms: tickAgeMs ?? null,
    trade_denied_by: deniedBy ?? null,
  };
};

export const toDecision = ({ report, actions, account }: GuardBreach, version: string | undefined): object => {
  const { rule_id, rule_version = null, value, limit, decided_at } = report;
  return { rule_id, rule_version, value, limit, decided_at, actions, account: account ?? null, agent: version ?? null };
};

/** What is left, and what was done so far. */
export const toOutcome = ({ closed, total, left_open }: GuardBreach['report']): object => ({
  closed,
  total,
  left: left_open.length,
  left_open: left_open
    .slice(0, MAX_LISTED)
    .map(({ ticket, symbol, message }) => ({ ticket, symbol, message: cutText(message, MAX_TEXT) })),
});

/** @param breach undefined: the guard has no more of it than the server */
export const toEnd = (breach: GuardBreach | undefined): object => {
  if (!breach) return {};
  const { phase = null, first_order_ms } = breach.report;
  return { phase, first_order_ms, ...toOutcome(breach.report) };
};
