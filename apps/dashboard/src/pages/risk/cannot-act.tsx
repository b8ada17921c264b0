/** Terminals at which a rule would not get its orders through: to be known before it has to act. */
import type { RiskRule, RiskState } from '@berth/client';
import { OctagonAlert } from 'lucide-react';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.risk.cannotAct;
const MAX_NAMES = 3;

interface Known {
  rules: readonly RiskRule[];
  states: readonly RiskState[];
  names: ReadonlyMap<string, string>;
}

/** The reason that somebody has to look into first. */
const toReason = ({ trade_denied_by: denials }: RiskState): string => {
  const first = (['password', 'broker', 'expert', 'terminal'] as const).find((one) => denials?.includes(one));
  return words.reasons[first ?? 'unknown'];
};

export const CannotAct = ({ rules, states, names }: Known) => {
  const closing = new Set(
    rules.filter(({ enabled, actions }) => enabled && actions.includes('close_all')).map(({ id }) => id),
  );
  const found = new Map(
    states
      .filter((state) => closing.has(state.rule_id) && state.is_watched && state.can_act === false)
      .map((state) => [state.terminal_id, toReason(state)] as const),
  );
  if (found.size === 0) return null;
  const shown = [...found].slice(0, MAX_NAMES);
  return (
    <div className="banner" data-kind="warning" role="alert">
      <OctagonAlert aria-hidden="true" />
      <div className="banner-text">
        <p>
          <b>{words.title(found.size)}</b>{' '}
          {shown.map(([id, reason]) => words.one(isolate(names.get(id) ?? '…'), reason)).join(' ')}
        </p>
        <p>{words.text}</p>
      </div>
    </div>
  );
};
