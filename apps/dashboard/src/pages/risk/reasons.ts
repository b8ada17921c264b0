/** Why a rule does not watch a terminal or could not close anything there, and what to do. Pure. */
import type { RiskState } from '@berth/client';
import { pageTexts } from '../../texts/page-texts.ts';

const { blind, cannotAct } = pageTexts.risk;
const { advice, actAdvice } = pageTexts.riskState;

/** "its figures are older than 15 seconds. Look whether …" */
export const toBlindReason = ({ blind: why }: RiskState): string => {
  const reason = why ?? 'not_reported';
  return `${blind.reasons[reason]}. ${advice[reason]}`;
};

/** What somebody has to look into first. */
export const toActReason = ({ trade_denied_by: denials }: RiskState): string => {
  const reason =
    (['password', 'broker', 'expert', 'terminal'] as const).find((one) => denials?.includes(one)) ?? 'unknown';
  return `${cannotAct.reasons[reason]}. ${actAdvice[reason]}`;
};
