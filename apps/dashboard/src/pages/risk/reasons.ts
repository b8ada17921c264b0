/** Why a rule does not watch a terminal or could not close anything there, and what to do. Pure. */
import type { RiskRule, RiskState } from '@berth/client';
import { pageTexts } from '../../texts/page-texts.ts';

const { blind, cannotAct } = pageTexts.risk;
const { advice, actAdvice } = pageTexts.riskState;

/** Within it the host of a terminal has the rule, and has reported it. */
const STARTS_WITHIN_MS = 60_000;

/** Whether a rule that is new, or was changed, has only not been reported yet. */
export const isStarting = (
  { is_watched: isWatched, blind: why, used }: Pick<RiskState, 'is_watched' | 'blind' | 'used'>,
  { updated_at: at }: Pick<RiskRule, 'updated_at'>,
  now: number,
): boolean => !isWatched && why === null && used === null && now - Date.parse(at) < STARTS_WITHIN_MS;

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
