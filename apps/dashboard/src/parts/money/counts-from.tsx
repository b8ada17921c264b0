import type { RiskRule, RiskState } from '@berth/client';
import { pageTexts } from '../../texts/page-texts.ts';
import { useNow } from '../clock.ts';
import { findDayEnd } from '../day-end.ts';
import { toZoned } from '../time.tsx';
import { zoneName } from '../zone.tsx';
import { formatDecimal } from './format.ts';

const words = pageTexts.riskState;
const MINUTE_MS = 60_000;

const toFrom = (rule: RiskRule, state: RiskState): string | undefined => {
  const { mark_source: source } = state;
  switch (rule.kind) {
    case 'daily_loss': {
      const from = formatDecimal(state.day_start);
      return from && words.from.daily_loss[source ?? 'unknown'](from);
    }
    case 'trailing_drawdown': {
      const high = formatDecimal(state.high_water);
      return high && words.from.high(high, rule.trail ?? 'equity');
    }
    case 'max_drawdown':
    case 'profit_target': {
      const start = formatDecimal(state.start);
      return start && (source === 'reset' ? words.from.reset(start) : words.from.start(start));
    }
    default:
      return undefined;
  }
};

const toClock = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at);

/** In the reader's zone, and in the rule's where that is another time. */
const toDayEnds = (rule: RiskRule, now: number): string | undefined => {
  const at = findDayEnd(rule, now);
  if (at === undefined) return undefined;
  const there = toClock(at, rule.time_zone);
  return there === toClock(at, zoneName)
    ? words.dayEnds(toZoned(at, now))
    : words.dayEndsThere(toZoned(at, now), there, rule.time_zone.replaceAll('_', ' '));
};

const countsDays = ({ kind, trail }: RiskRule): boolean => kind === 'daily_loss' || trail === 'day_end_balance';

/** What the limit of a rule counts from at a terminal, where that comes from, and when its day ends. */
export const CountsFrom = ({ rule, state }: { rule: RiskRule; state: RiskState }) => {
  const now = useNow(MINUTE_MS);
  const said = [
    toFrom(rule, state),
    rule.kind === 'daily_loss' && rule.trail !== null ? words.from.dayHigh : undefined,
    countsDays(rule) ? toDayEnds(rule, now) : undefined,
  ].filter((sentence) => sentence !== undefined && sentence !== '');
  return said.length === 0 ? null : <p className="headroom-from">{said.join(' ')}</p>;
};
