/** How account data is reported and kept; without schemas, for agents and browsers. */

/** Numbers that are older are not current any more: nothing acts on them. */
export const ACCOUNT_CURRENT_MS = 15_000;
/** How often a host reports the account of a terminal while it changes, at most. */
export const ACCOUNT_MS = 1_000;
/** Of two states of a terminal with a shorter interval, the server accepts the first: what is a little early is not lost. */
export const MIN_ACCOUNT_GAP_MS = 800;

/** An older price is reported as one of this age. */
export const MAX_TICK_AGE_MS = 30 * 86_400_000;

/** Terminals that one call may report. It is a megabyte at most, like every call. */
export const MAX_ACCOUNTS_REPORTED = 500;
/** Positions of a terminal, and pending orders, in one report. */
export const MAX_REPORTED_POSITIONS = 1_000;
/** Positions and orders of a terminal together, as JSON in UTF-8; the totals count those beyond, too. */
export const MAX_POSITIONS_BYTES = 64 * 1024;
/** Deals of a terminal in one report. */
export const MAX_REPORTED_DEALS = 500;

/** Deals of one account that are taken at once, and later within a day; those beyond wait at the host. */
export const DEALS_BURST = 100_000;
export const DEALS_PER_DAY = 20_000;
/** Deals of one account that are kept; and for how long. */
export const MAX_DEALS = 500_000;
export const KEEP_DEALS_DAYS = 730;

export const marginModes = ['hedging', 'netting'] as const;
export const positionSides = ['buy', 'sell'] as const;
export const orderTypes = [
  'buy_limit',
  'sell_limit',
  'buy_stop',
  'sell_stop',
  'buy_stop_limit',
  'sell_stop_limit',
] as const;
/** `balance` and `credit` move money without a trade. */
export const dealSides = ['buy', 'sell', 'balance', 'credit', 'other'] as const;
export const dealEntries = ['in', 'out', 'inout'] as const;
/** Kinds of MQL5's DEAL_TYPE: all commissions are `commission`, both dividends `dividend`. */
export const dealTypes = [
  'trade',
  'balance',
  'credit',
  'charge',
  'correction',
  'bonus',
  'commission',
  'interest',
  'dividend',
  'tax',
  'canceled',
  'other',
] as const;
/** What closed a position: MQL5's DEAL_REASON of a deal that is an exit. */
export const exitCauses = [
  'client',
  'mobile',
  'web',
  'expert',
  'stop_loss',
  'take_profit',
  'stop_out',
  'rollover',
  'variation_margin',
  'split',
  'corporate_action',
] as const;
export type ExitCause = (typeof exitCauses)[number];

/** Where the initial balance of an account comes from: its owner said it, or it is the first deal of the account. */
export const initialBalanceSources = ['owner', 'first_deposit'] as const;
export type InitialBalanceSource = (typeof initialBalanceSources)[number];

/** Seconds of one point of an account's history. */
export const historySteps = [60, 900, 3600, 86400] as const;
export type HistoryStep = (typeof historySteps)[number];
/** How many days each step is kept for. */
export const historyDays: Readonly<Record<HistoryStep, number>> = { 60: 1, 900: 30, 3600: 730, 86400: 730 };
/** Points in one answer: of a longer period it has the newest. */
export const MAX_HISTORY_POINTS = 3_000;

/**
 * Why a report of an account was not taken. `not_here`: the terminal is not on this host. `other_account`: it is logged
 * in to another one. `old_sequence`: its sequence does not rise. `old_numbers`: they were not current any more.
 * `gap_in_deals`: they do not follow what the server has; the cursor says what that is. `too_many_deals`: the rest waits.
 */
export const accountRefusals = [
  'not_here',
  'other_account',
  'old_sequence',
  'old_numbers',
  'gap_in_deals',
  'too_many_deals',
] as const;
export type AccountRefusal = (typeof accountRefusals)[number];

/** Terminals of which one answer asks whether algo trading could be turned off, and that one call reports. */
export const MAX_SWITCH_CHECKS = 200;
/** A longer check is reported as one of this time. */
export const MAX_SWITCH_CHECK_MS = 600_000;
/** Characters of what prevents it. */
export const MAX_SWITCH_PROBLEM = 500;
