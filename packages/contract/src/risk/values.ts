/** What risk rules are made of, without schemas. */

/** What a rule watches. */
export const riskKinds = [
  'daily_loss',
  'max_drawdown',
  'trailing_drawdown',
  'equity_floor',
  'profit_target',
  'max_volume',
  'max_positions',
] as const;
export type RiskKind = (typeof riskKinds)[number];

/** What the start of a day, or of a rule, counts: `higher` is the higher of balance and equity. */
export const riskBases = ['balance', 'equity', 'higher'] as const;
export type RiskBasis = (typeof riskBases)[number];

/** What a trailing limit follows: `balance` is each closed high, at once. */
export const riskTrails = ['equity', 'balance', 'day_end_balance'] as const;
export type RiskTrail = (typeof riskTrails)[number];

/** What a limit of a day follows within the day. */
export const dayTrails = ['equity', 'balance'] as const;

/** What a percentage is of: what the loss is counted from, or what the account began with. */
export const riskReferences = ['reference', 'initial'] as const;

/** What is compared with the limit: equity without credit, or the balance. */
export const riskMeasures = ['equity', 'balance'] as const;
export type RiskMeasure = (typeof riskMeasures)[number];

/** When a lock ends: when a person unlocks, or by itself when the rule's next day begins. */
export const lockEnds = ['unlocked', 'next_day'] as const;

/**
 * Where what a limit counts from comes from: the rule's first look at the account, the beginning of a day, the first
 * numbers that came after it, or a person who let the rule begin anew.
 */
export const markSources = ['rule_start', 'day_start', 'first_numbers', 'reset'] as const;
export type MarkSource = (typeof markSources)[number];

/** For how long an account can be asked to stay beyond a limit before the rule acts. */
export const MAX_CONFIRM_MS = 60_000;

/** Whether deposits and withdrawals move what a limit counts from. */
export const cashFlows = ['adjust', 'ignore'] as const;

/**
 * What a breach does, in this order, whatever the order in the rule: closing needs the switch that `trading_off` turns
 * off.
 */
export const riskActions = ['close_all', 'trading_off', 'lock', 'notify'] as const;
export type RiskAction = (typeof riskActions)[number];

/** What becomes of a breach on its host. */
export const breachPhases = ['acting', 'holding', 'ended'] as const;
export type BreachPhase = (typeof breachPhases)[number];

/** Why a rule does not watch a terminal at the moment. */
export const blindReasons = [
  'no_numbers',
  'old_numbers',
  'other_account',
  'not_synchronised',
  'other_currency',
  'unlisted_positions',
  'agent_too_old',
] as const;
export type BlindReason = (typeof blindReasons)[number];

/**
 * What stands against orders: the switch of algo trading in the terminal, the permission of the program, the broker, which
 * takes none from programs, and the password, which is an investor's or of an account that is closed for trading.
 */
export const tradeDenials = ['terminal', 'expert', 'broker', 'password'] as const;
export type TradeDenial = (typeof tradeDenials)[number];

/**
 * Which settings of rules an agent applies. 2: `percent_of`, `measure`, `cash_flows`, `buffer`, `currency`, a trail within
 * the day, `balance` as a trail, and a stop above the initial balance. 3: `confirm_ms`, and marks that begin anew.
 */
export const RULE_SETTINGS = 3;

/** What a rule warns of. `touched`: the account was beyond the limit, for less than `confirm_ms`. */
export const riskWarnings = ['near_limit', 'touched', 'blind', 'sees_again'] as const;
export type RiskWarning = (typeof riskWarnings)[number];

/** A rule acts on nothing older. */
export const MAX_NUMBERS_AGE_MS = 15_000;

/** Risk rules of one account. */
export const MAX_RISK_RULES = 100;
/** Terminals that a rule can name. */
export const MAX_RISK_RULE_TERMINALS = 500;
/** What a breach lists as left open. */
export const MAX_LEFT_OPEN = 100;
/** A rule is tried on this much of the past, and on so many terminals. */
export const MAX_TRY_DAYS = 93;
export const MAX_TRY_TERMINALS = 50;

/** The same bounds for one call of an agent. */
export const MAX_REPORTED_RISK_STATES = 500;
export const MAX_REPORTED_BREACHES = 20;
export const MAX_REPORTED_WARNINGS = 100;
/** Days whose starts are kept: more than one, because a clock may be set back. */
export const MAX_RISK_DAYS = 3;
