/** The values and limits of alerts. */

/** Ways to write to somebody. */
export const alertChannelKinds = ['email', 'telegram', 'discord', 'slack', 'ntfy'] as const;
export type AlertChannelKind = (typeof alertChannelKinds)[number];
/** Those whose messages take a picture. */
export const screenshotChannelKinds: readonly AlertChannelKind[] = ['email', 'telegram', 'discord'];

/** What a rule can report. */
export const alertConditionMeanings = {
  terminal_down: 'a terminal cannot trade: it is disconnected, out of reach, logged out by its broker, or failed',
  login_failed: 'the trading server refuses the login of a terminal',
  expert_failed: 'a terminal refused to load an expert, or an error of its code ended one',
  trading_off: 'algo trading was switched off in a terminal, and not by a task of Berth',
  task_failed: 'a task failed',
  host_lost: 'a host with terminals of the user is silent',
  risk_breached: 'a risk rule was broken',
} as const;
export type AlertCondition = keyof typeof alertConditionMeanings;
export const alertConditions = Object.keys(alertConditionMeanings) as AlertCondition[];

/** What happens at a moment, and does not last: it cannot be told after some minutes. It is over an hour after the last time. */
export const momentaryConditions: readonly AlertCondition[] = ['task_failed', 'risk_breached'];

export const alertMessageKinds = ['opened', 'reminder', 'resolved'] as const;
export type AlertMessageKind = (typeof alertMessageKinds)[number];

/** Of one account. */
export const MAX_ALERT_CHANNELS = 20;
export const MAX_ALERT_RULES = 50;
/** Of one rule. */
export const MAX_RULE_CHANNELS = 10;
export const MAX_ALERT_RULE_TERMINALS = 500;
/** Messages that one channel takes per hour. Further ones wait. */
export const MAX_CHANNEL_MESSAGES_PER_HOUR = 30;
/** Alerts of one rule that are told one by one per hour. What comes after them is told by one message, when the hour is over. */
export const MAX_RULE_ALERTS_PER_HOUR = 10;
/** A screenshot that is older is not sent with a message. */
export const MAX_SENT_SCREENSHOT_MINUTES = 15;
/** How long a resolved alert is kept. */
export const KEEP_ALERTS_DAYS = 90;
/** Reads back where a secret is stored; sent in a PATCH, it keeps that. */
export const KEPT_SECRET = '********';
