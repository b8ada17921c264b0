/** What is reported of a rule, and when it has changed. */
import type { GuardRule, ReportedRiskState } from '@berth/contract/agent';
import type { SeenNumbers } from './seen-numbers.ts';

/**
 * Whether orders of the rule would be taken, as the terminal says before any is sent. Algo trading that is off does not
 * stand against them: it is switched on to close. A rule that trades nothing can always act.
 */
export const toAbility = (
  { actions }: GuardRule,
  numbers: SeenNumbers | undefined,
): Pick<ReportedRiskState, 'can_act' | 'trade_denied_by'> => {
  if (!numbers?.deniedBy) return {};
  const can_act = !actions.includes('close_all') || numbers.deniedBy.every((denial) => denial === 'terminal');
  return { can_act, trade_denied_by: [...numbers.deniedBy] };
};

/** Begins with whether it sees: a change of that is reported at once. */
export const toDigest = ({ blind, used, limit, marks, trade_denied_by: denied }: ReportedRiskState): string =>
  `${blind ?? ''} ${JSON.stringify([used, limit, marks?.high_water, marks?.days, marks?.breach_id, denied])}`;
export const toBlind = (digest: string): string | null => digest.slice(0, digest.indexOf(' ')) || null;
