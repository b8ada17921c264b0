import type { RiskRule, RiskState } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useNow } from '../../parts/clock.ts';
import { CountsFrom } from '../../parts/money/counts-from.tsx';
import { Headroom, toUsedPercent } from '../../parts/money/headroom.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { isStarting, toActReason, toBlindReason } from './reasons.ts';

const words = pageTexts.riskState;
const MAX_SHOWN = 20;

const toProblem = (state: RiskState, rule: RiskRule, now: number): string | undefined => {
  if (state.is_watched) return state.can_act === false ? toActReason(state) : undefined;
  return isStarting(state, rule, now) ? words.starting : toBlindReason(state);
};

const Terminal = ({ rule, state, name }: { rule: RiskRule; state: RiskState; name: string }) => {
  const problem = toProblem(state, rule, useNow());
  const address: string = `/terminals/${state.terminal_id}?tab=trading`;
  return (
    <li>
      <Headroom name={name} kind={rule.kind} state={state} />
      <CountsFrom rule={rule} state={state} />
      {problem === undefined ? null : (
        <p className="headroom-from">
          {problem}{' '}
          <Link to={address} className="link">
            {words.open}
          </Link>
        </p>
      )}
    </li>
  );
};

interface OfRule {
  rule: RiskRule;
  states: readonly RiskState[];
  names: ReadonlyMap<string, string>;
}

const Nearest = ({ rule, states, names }: OfRule) => (
  <>
    <ul>
      {states
        .toSorted((a, b) => toUsedPercent(b) - toUsedPercent(a))
        .slice(0, MAX_SHOWN)
        .map((state) => (
          <Terminal key={state.terminal_id} rule={rule} state={state} name={names.get(state.terminal_id) ?? '…'} />
        ))}
    </ul>
    {states.length > MAX_SHOWN ? <p className="field-note">{words.moreTerminals(states.length - MAX_SHOWN)}</p> : null}
  </>
);

/** How the rule fares at each of its terminals, in figures: made when somebody wants to see it. */
export const RuleTerminals = ({ rule, states, names }: OfRule) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="rule-terminals" onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>{words.terminals(states.length)}</summary>
      {isOpen ? <Nearest rule={rule} states={states} names={names} /> : null}
    </details>
  );
};
