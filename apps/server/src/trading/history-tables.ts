/** The tables of an account's history, which all have the same columns. */
import type { HistoryStep } from '@berth/contract';

export const historyTables = {
  60: 'account_minutes',
  900: 'account_quarters',
  3600: 'account_hours',
  86400: 'account_days',
} as const satisfies Record<HistoryStep, string>;

/** SQL: the beginning of the step that a time is in. Days are those of UTC. */
export const toStepStart = (step: HistoryStep, at: string): string =>
  `date_bin('${step} seconds', ${at}, timestamptz 'epoch')`;
