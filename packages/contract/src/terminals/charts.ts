/**
 * The charts of a terminal as reported by its host, within limits. A host is a stranger's machine: agents stay within
 * these limits so that their reports are accepted, and the server enforces them.
 */
import { MAX_EXPERT_CHARACTERS } from '../tasks/names.ts';
import { toBoundedLine } from '../text.ts';
import type { TerminalChart } from './chart-schema.ts';
import { MAX_EXPERT_LINE } from './values.ts';

/** How often a host checks whether it has charts to report. */
export const CHART_MS = 1_000;
/** The most that a terminal opens. */
export const MAX_REPORTED_CHARTS = 100;
/** Per EA. */
export const MAX_REPORTED_INPUTS = 1_000;
/** Per terminal, as JSON in UTF-8. */
export const MAX_CHARTS_BYTES = 128 * 1024;
/** Terminals that one call may report. */
export const MAX_TERMINALS_REPORTED = 200;
/** Of two reports about a terminal with a shorter interval, the server accepts the first. */
export const MIN_CHARTS_GAP_MS = 1_000;

const MAX_TEXT = 64;
const MAX_INPUT = 1_024;

/** Only an object's own text values; numbers and nested values are not inputs. */
const toInputs = (inputs: Record<string, unknown>): Record<string, string> => {
  const held: Record<string, string> = {};
  for (const [name, value] of Object.entries(inputs).slice(0, MAX_REPORTED_INPUTS)) {
    const known = toBoundedLine(name, MAX_TEXT);
    if (known !== '' && known !== '__proto__' && typeof value === 'string') {
      held[known] = toBoundedLine(value, MAX_INPUT);
    }
  }
  return held;
};

const toTexts = ({ chart_id, symbol, period, expert }: TerminalChart): TerminalChart => ({
  chart_id: toBoundedLine(chart_id, MAX_TEXT),
  symbol: toBoundedLine(symbol, MAX_TEXT),
  period,
  expert: expert && {
    name: toBoundedLine(expert.name, MAX_EXPERT_CHARACTERS),
    inputs: toInputs(expert.inputs),
    allow_algo_trading: expert.allow_algo_trading,
    allow_dll: expert.allow_dll,
    sha256: expert.sha256,
    state: expert.state,
    ...(expert.line === undefined ? {} : { line: toBoundedLine(expert.line, MAX_EXPERT_LINE) }),
  },
});

export interface BoundedCharts {
  charts: TerminalChart[];
  /** Something did not fit, or was not a single line of text: then not everything is reported. */
  truncated: boolean;
}

/**
 * As many of the charts as one terminal may report, in order. Idempotent. Pure.
 * @example
 * import { toBoundedCharts } from '@berth/contract/values';
 * const chart = { chart_id: '1', symbol: 'EURUSD', period: 'H1' as const, expert: null };
 * toBoundedCharts([chart]); // => { charts: [chart], truncated: false }
 */
export const toBoundedCharts = (reported: readonly TerminalChart[]): BoundedCharts => {
  const charts: TerminalChart[] = [];
  let truncated = reported.length > MAX_REPORTED_CHARTS;
  let leftBytes = MAX_CHARTS_BYTES;
  for (const each of reported.slice(0, MAX_REPORTED_CHARTS)) {
    const chart = toTexts(each);
    const text = JSON.stringify(chart);
    leftBytes -= new TextEncoder().encode(text).length + 1;
    truncated ||= leftBytes < 0 || text !== JSON.stringify(each);
    if (leftBytes < 0) break;
    charts.push(chart);
  }
  return { charts, truncated };
};
