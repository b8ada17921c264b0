import type { RiskRule, RiskState } from '@berth/client';
import { EyeOff, Gauge, OctagonAlert, type LucideIcon } from 'lucide-react';
import { useRiskRules } from '../../data/risk.ts';
import { toPercentText } from '../../parts/figure.tsx';
import { toTone, toUsedPercent, type HeadroomTone } from '../../parts/money/headroom.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const { riskLine: words } = pageTexts.terminals;
const { reasons } = pageTexts.risk.blind;

/** The worst first; of the others there is nothing to say in a list. */
const tones = ['bad', 'blind', 'wait'] as const satisfies HeadroomTone[];
type Tone = (typeof tones)[number];

const icons: Record<Tone, LucideIcon> = { bad: OctagonAlert, blind: EyeOff, wait: Gauge };

interface Finding {
  tone: Tone;
  state: RiskState;
  rule: RiskRule;
}

/** The rule that needs somebody most: at its limit, not watching, or near its limit. */
const findWorst = (states: readonly RiskState[], rules: readonly RiskRule[]): Finding | undefined => {
  const found = states.flatMap((state) => {
    const rule = rules.find(({ id, enabled }) => enabled && id === state.rule_id);
    const tone = rule && tones.find((one) => one === toTone(state, rule.kind));
    return tone && state.blind !== 'other_currency' ? [{ tone, state, rule }] : [];
  });
  return found.toSorted(
    (a, b) => tones.indexOf(a.tone) - tones.indexOf(b.tone) || toUsedPercent(b.state) - toUsedPercent(a.state),
  )[0];
};

const toText = ({ tone, state, rule }: Finding): string => {
  if (tone === 'bad') return words.reached(rule.name);
  if (tone === 'blind') return words.notWatched(reasons[state.blind ?? 'not_reported']);
  return words.near(rule.name, toPercentText(toUsedPercent(state)));
};

/** How the risk rules of a terminal fare, where somebody has to know it. */
export const RiskLine = ({ states }: { states: readonly RiskState[] }) => {
  const { data: rules = [] } = useRiskRules();
  const worst = findWorst(states, rules);
  if (!worst) return null;
  const Icon = icons[worst.tone];
  const text = toText(worst);
  return (
    <small className="risk-line" data-tone={worst.tone} title={text}>
      <Icon aria-hidden="true" />
      {text}
    </small>
  );
};
