import type { RiskRule, RiskState } from '@berth/client';
import type { CSSProperties } from 'react';
import { toPercentText } from '../figure.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { compare, minus, toPercent } from '../../data/decimal.ts';
import { formatDecimal } from './format.ts';

const words = pageTexts.risk.headroom;

export type HeadroomTone = 'calm' | 'wait' | 'bad' | 'goal' | 'blind';

/** How a state is to be read: blind before all else, because its figures may be old. */
export const toTone = (state: RiskState, kind: RiskRule['kind']): HeadroomTone => {
  if (state.breach_id !== null && kind !== 'profit_target') return 'bad';
  if (!state.is_watched || state.used === null || state.limit === null) return 'blind';
  if (kind === 'profit_target') return 'goal';
  const isCount = kind === 'max_positions' || kind === 'max_volume';
  const against = compare(state.used, state.limit);
  if (isCount ? against > 0 : against >= 0) return 'bad';
  return state.warn_at !== null && compare(state.used, state.warn_at) >= 0 ? 'wait' : 'calm';
};

/** Used of the limit, in whole percent and not beyond 100: for widths and for the order of terminals. */
export const toUsedPercent = ({ used, limit }: RiskState): number => {
  const percent = Number(toPercent(used, limit) ?? 0);
  return Math.min(100, Math.max(0, percent));
};

export const toWarnPercent = ({ warn_at: warnAt, limit }: RiskState): number => Number(toPercent(warnAt, limit) ?? 0);

const toLeft = (state: RiskState, kind: RiskRule['kind'], tone: HeadroomTone): string => {
  if (tone === 'blind') return words.notWatched;
  const left = minus(state.limit, state.used);
  const isReached = state.breach_id !== null || compare(left, '0') <= 0;
  if (kind === 'profit_target') return isReached ? words.targetReached : words.toGo(formatDecimal(left) ?? '–');
  return tone === 'bad' ? words.reached : words.left(formatDecimal(left) ?? '–');
};

const toUsed = ({ used, limit }: RiskState): string =>
  used === null || limit === null ? words.notSeen : words.used(formatDecimal(used) ?? '–', formatDecimal(limit) ?? '–');

/** Widths as variables: the style sheet draws with them. */
export const toBarStyle = (state: RiskState): CSSProperties =>
  ({ '--used': `${toUsedPercent(state)}%`, '--warn': `${toWarnPercent(state)}%` }) as CSSProperties;

export interface HeadroomProps {
  /** What the bar is about: the rule, or the terminal. */
  name: string;
  /** Instead of "used of limit", below. */
  note?: string | undefined;
  kind: RiskRule['kind'];
  state: RiskState;
}

/** How much of a limit is used: a bar that fills towards a wall, and what is left in words. */
export const Headroom = ({ name, note, kind, state }: HeadroomProps) => {
  const tone = toTone(state, kind);
  const percent = toUsedPercent(state);
  return (
    <div
      className="headroom"
      data-tone={tone}
      data-no-warn={kind === 'profit_target' || state.warn_at === null ? '' : undefined}
      style={toBarStyle(state)}
    >
      <div className="headroom-words">
        <b>
          <bdi>{name}</bdi>
        </b>
        <span className="figure">{toLeft(state, kind, tone)}</span>
      </div>
      <div
        className="headroom-track"
        role="meter"
        aria-label={words.meter(name)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(percent)}
      >
        <i />
      </div>
      <div className="headroom-words">
        <small>{note ?? toUsed(state)}</small>
        <small className="figure">{state.used === null ? '' : toPercentText(percent)}</small>
      </div>
    </div>
  );
};
