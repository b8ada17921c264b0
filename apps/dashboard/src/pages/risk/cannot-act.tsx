/** Terminals at which a rule would not get its orders through: to be known before it has to act. */
import type { RiskRule, RiskState } from '@berth/client';
import { OctagonAlert } from 'lucide-react';
import { pageTexts } from '../../texts/page-texts.ts';
import { toActReason } from './reasons.ts';
import { TerminalWarning } from './terminal-warning.tsx';

const words = pageTexts.risk.cannotAct;

interface Known {
  rules: readonly RiskRule[];
  states: readonly RiskState[];
  names: ReadonlyMap<string, string>;
}

export const CannotAct = ({ rules, states, names }: Known) => {
  const closing = new Set(
    rules.filter(({ enabled, actions }) => enabled && actions.includes('close_all')).map(({ id }) => id),
  );
  const found = new Map(
    states
      .filter((state) => closing.has(state.rule_id) && state.is_watched && state.can_act === false)
      .map((state) => [state.terminal_id, toActReason(state)] as const),
  );
  return <TerminalWarning icon={OctagonAlert} title={words.title} text={words.text} reasons={found} names={names} />;
};
