import type { RiskRule, RiskState } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { CountsFrom } from '../../../parts/money/counts-from.tsx';
import { Headroom } from '../../../parts/money/headroom.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';

const words = pageTexts.terminalTrading.rules;

export interface RulesCardProps {
  rules: readonly RiskRule[];
  /** Of this terminal. */
  states: readonly RiskState[];
  terminalId: string;
  /** false: the figures are old, and no rule acts on them. */
  isCurrent: boolean;
}

/** How far each rule of the terminal is from its limit. */
export const RulesCard = ({ rules, states, terminalId, isCurrent }: RulesCardProps) => {
  const watched = rules.flatMap((rule) => {
    const state = states.find(({ rule_id: id }) => id === rule.id);
    return state ? [{ rule, state }] : [];
  });
  return (
    <section className="card" aria-label={words.title}>
      <div className="card-head">
        <h2>{words.title}</h2>
        <Link to="/risk" className="link text-size-1">
          {words.all}
        </Link>
      </div>
      {watched.map(({ rule, state }) => (
        <div key={rule.id} className="headroom-of">
          <Headroom name={rule.name} kind={rule.kind} state={state} />
          <CountsFrom rule={rule} state={state} />
        </div>
      ))}
      {watched.length === 0 ? (
        <>
          <p className="field-note mb-3">{words.none}</p>
          <Link to="/risk" search={{ rule: 'new', terminal: terminalId }} className="button">
            {words.create}
          </Link>
        </>
      ) : (
        <>
          <hr className="rule-line" />
          <p className="field-note">{isCurrent ? words.tick : words.old}</p>
        </>
      )}
    </section>
  );
};
