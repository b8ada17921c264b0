import type { TradeResult } from '../../wire/trade-messages.ts';

/** Return codes of MQL5, with the texts that its pages have for them. */
const MESSAGES = {
  10004: 'Requote',
  10006: 'Request rejected',
  10009: 'Done',
  10012: 'Request canceled by timeout',
  10013: 'Invalid request',
  10014: 'Invalid volume',
  10015: 'Invalid price',
  10016: 'Invalid stops',
  10017: 'Trade is disabled',
  10018: 'Market is closed',
  10019: 'Not enough money',
  10026: 'AutoTrading disabled by server',
  10033: 'Pending orders limit reached',
  10036: 'Position already closed',
  10038: 'Close volume exceeds the position',
  10040: 'Positions limit reached',
} as const;

export type Retcode = keyof typeof MESSAGES;

export const toResult = (retcode: Retcode, order?: bigint, deal?: bigint): TradeResult => ({
  retcode,
  message: MESSAGES[retcode],
  order: order?.toString() ?? null,
  deal: deal?.toString() ?? null,
});

export const isDone = ({ retcode }: TradeResult): boolean => retcode === 10_009;
