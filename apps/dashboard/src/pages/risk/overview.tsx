import type { RiskRule, RiskState } from '@berth/client';
import { EyeOff } from 'lucide-react';
import { Headroom, toTone, toUsedPercent } from '../../parts/money/headroom.tsx';
import { Banner } from '../../parts/banner.tsx';
import { useNow } from '../../parts/clock.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/surfaces.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { isolate } from '../../texts/isolate.ts';
import { isStarting, toBlindReason } from './reasons.ts';
import { TerminalWarning } from './terminal-warning.tsx';

const words = pageTexts.risk;
const MAX_BARS = 6;
const MAX_NAMES = 3;

interface Known {
  rules: readonly RiskRule[];
  states: readonly RiskState[];
  names: ReadonlyMap<string, string>;
}

const toName = (names: ReadonlyMap<string, string>, id: string): string => names.get(id) ?? '…';

/** "A, B, C and 4 more". */
const toNames = (names: readonly string[]): string => {
  const first = names.slice(0, MAX_NAMES).map(isolate).join(', ');
  return names.length > MAX_NAMES ? words.unguarded.more(first, names.length - MAX_NAMES) : first;
};

/** The terminals that no rule can see, and why: while that is so, nothing is closed at a limit. */
export const BlindWarning = ({ rules, states, names }: Known) => {
  const now = useNow();
  const on = new Map(rules.filter(({ enabled }) => enabled).map((rule) => [rule.id, rule]));
  const [blind, starting] = [new Map<string, string>(), new Set<string>()];
  for (const state of states) {
    const rule = on.get(state.rule_id);
    // That a rule is for another currency was somebody's wish, and is shown at the rule.
    if (!rule || state.is_watched || state.blind === 'other_currency') continue;
    if (isStarting(state, rule, now)) starting.add(state.terminal_id);
    else blind.set(state.terminal_id, toBlindReason(state));
  }
  for (const id of blind.keys()) starting.delete(id);
  const { title, text } = words.blind;
  return (
    <>
      {starting.size === 0 ? null : <Banner kind="news">{words.blind.starting(starting.size)}</Banner>}
      <TerminalWarning icon={EyeOff} title={title} text={text} reasons={blind} names={names} />
    </>
  );
};

/** What is closest to a limit, whatever the rule; targets are no danger and are left out. */
export const Closest = ({ rules, states, names }: Known) => {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const shown = states
    .flatMap((state) => {
      const rule = byId.get(state.rule_id);
      return rule && rule.kind !== 'profit_target' && state.used !== null ? [{ state, rule }] : [];
    })
    .toSorted(
      (a, b) =>
        Number(toTone(b.state, b.rule.kind) === 'bad') - Number(toTone(a.state, a.rule.kind) === 'bad') ||
        toUsedPercent(b.state) - toUsedPercent(a.state),
    )
    .slice(0, MAX_BARS);
  return (
    <Card title={words.closest.title}>
      {shown.length === 0 ? <p className="field-note">{words.closest.none}</p> : null}
      {shown.map(({ state, rule }) => (
        <Headroom
          key={`${state.rule_id} ${state.terminal_id}`}
          name={toName(names, state.terminal_id)}
          note={rule.name}
          kind={rule.kind}
          state={state}
        />
      ))}
    </Card>
  );
};

/** Terminals that no rule is for. */
export const Unguarded = ({
  ids,
  names,
  onAdd,
}: {
  ids: readonly string[];
  names: Known['names'];
  onAdd: () => void;
}) => (
  <Card title={words.unguarded.title}>
    {ids.length === 0 ? (
      <p className="field-note">{words.unguarded.none}</p>
    ) : (
      <>
        <p className="field-note mb-3">
          {words.unguarded.text(ids.length, toNames(ids.map((id) => toName(names, id))))}
        </p>
        <Button onClick={onAdd}>{words.unguarded.add}</Button>
      </>
    )}
  </Card>
);
