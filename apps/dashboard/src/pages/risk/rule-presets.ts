/** Rules to begin with, by what they are. Pure. */
import { pageTexts } from '../../texts/page-texts.ts';
import { toMeasure, type RuleDraft } from './rule-draft.ts';

const names = pageTexts.riskForm.presets;
export type Preset = keyof typeof names;

const presets: Record<Preset, Partial<RuleDraft> & Pick<RuleDraft, 'kind' | 'unit' | 'limit'>> = {
  dayInitialPrague: {
    ...{ kind: 'daily_loss', unit: 'initial', limit: '5', basis: 'balance' },
    ...{ dayStarts: '00:00', zone: 'Europe/Prague' },
  },
  dayHigherNewYork: {
    ...{ kind: 'daily_loss', unit: 'percent', limit: '3', basis: 'higher' },
    ...{ dayStarts: '17:00', zone: 'America/New_York' },
  },
  dayTrailing: {
    ...{ kind: 'daily_loss', unit: 'percent', limit: '4', basis: 'equity', dayTrail: 'equity' },
    ...{ dayStarts: '00:00', zone: 'UTC' },
  },
  pause: {
    ...{ kind: 'daily_loss', unit: 'percent', limit: '2', basis: 'higher', lockUntil: 'next_day' },
    actions: ['close_all', 'trading_off', 'lock', 'notify'],
  },
  static: { kind: 'max_drawdown', unit: 'percent', limit: '10', basis: 'balance' },
  trailing: {
    ...{ kind: 'trailing_drawdown', unit: 'initial', limit: '6', trail: 'equity' },
    ...{ stop: 'initial_plus', stopsAt: '0' },
  },
  dayEnd: {
    ...{ kind: 'trailing_drawdown', unit: 'percent', limit: '4', trail: 'day_end_balance' },
    ...{ dayStarts: '17:00', zone: 'America/New_York' },
  },
  target: { kind: 'profit_target', unit: 'percent', limit: '10', basis: 'balance' },
};

export const presetNames = Object.entries(names) as [Preset, string][];

const isName = (text: string): boolean => text.trim() === '' || presetNames.some(([, name]) => name === text);

/** A form that a preset has filled: a name that somebody typed stays, and so do the terminals. */
export const toPreset = (preset: Preset, draft: RuleDraft, fresh: RuleDraft): RuleDraft => {
  const { name, scope, project, terminals } = draft;
  return {
    ...fresh,
    measure: toMeasure(presets[preset].kind),
    ...presets[preset],
    ...{ name: isName(name) ? names[preset] : name, scope, project, terminals },
  };
};
