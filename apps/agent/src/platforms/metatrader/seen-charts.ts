/**
 * The charts of a terminal and their EAs, as far as a host can see them without touching the terminal: from the chart
 * files, which it writes when it is closed and which a task writes before a start, and from its journal since that
 * start.
 */
import type { TerminalChart } from '@berth/contract/agent';
import { MAX_EXPERT_LINE, toBoundedLine } from '@berth/contract/values';
import type { ExpertPlace } from './journal/journal-events.ts';
import { toChartId, type ProfileChart } from './files/profile.ts';
import { toPlaceKey, type ExpertRoster } from './run/expert-roster.ts';
import { findProgramSha256, toProgramFile } from './tasks/expert-files.ts';
import type { TerminalParts } from './tasks/task-run.ts';
import { unlessUnsafe } from './files/text-file.ts';

/** They are read repeatedly, beside everything else: beyond this size only the first are read. */
const MAX_CHART_BYTES = 4 * 1024 * 1024;
/** Of new or changed programs, per look. */
const MAX_PROGRAM_BYTES = 32 * 1024 * 1024;

/** By the keys of their places. */
const groupByPlace = <Item extends ExpertPlace>(items: readonly Item[]): Map<string, Item[]> => {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(toPlaceKey(item), [...(groups.get(toPlaceKey(item)) ?? []), item]);
  return groups;
};

type SeenState = Pick<NonNullable<TerminalChart['expert']>, 'state' | 'line'>;

/**
 * Determines the state of each EA from the journal and the EAs' log, one after the other. They name places, not charts:
 * of several charts with one EA on one symbol and period, as many count as running as were loaded.
 */
export const createStateFinder = (
  roster: Pick<ExpertRoster, 'experts' | 'failedExperts' | 'endedExperts' | 'isExpertsLogCut'>,
  isAlive: boolean,
): ((place: ExpertPlace) => SeenState) => {
  const running = groupByPlace(roster.experts);
  const failed = groupByPlace(roster.failedExperts);
  const ended = groupByPlace(roster.endedExperts);
  return (place) => {
    if (!isAlive) return { state: 'stopped' };
    const key = toPlaceKey(place);
    if (running.get(key)?.shift()) return { state: roster.isExpertsLogCut ? 'unknown' : 'running' };
    const failure = failed.get(key)?.shift();
    if (failure) return { state: 'failed', line: toBoundedLine(failure.line, MAX_EXPERT_LINE) };
    return { state: ended.get(key)?.shift() ? 'stopped' : 'unknown' };
  };
};

interface Digest {
  size: number;
  mtimeMs: number;
  sha256: string;
}

type Parts = Pick<TerminalParts, 'home' | 'edition' | 'record'> & {
  live: Pick<TerminalParts['live'], 'view' | 'isAlive'>;
};

/**
 * Looks at the charts of one terminal; caches the digests of its programs, so that only changed ones are read again.
 */
export class SeenCharts {
  readonly #parts: Parts;
  #digests = new Map<string, Digest>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Undefined before the installation. */
  async look(): Promise<TerminalChart[] | undefined> {
    const { home, live, record } = this.#parts;
    if (!record.get().isInstalled) return undefined;
    const charts = await home.profile.listCharts({ maxBytes: MAX_CHART_BYTES });
    await this.#readPrograms(charts);
    const findState = createStateFinder(live.view, live.isAlive());
    return charts.map((chart) => this.#toSeen(chart, findState));
  }

  #toSeen(chart: ProfileChart, findState: (place: ExpertPlace) => SeenState): TerminalChart {
    const { symbol, period = null, expert } = chart;
    const { canAllowDll } = this.#parts.edition.dialect.charts;
    return {
      chart_id: toChartId(chart),
      symbol,
      period,
      expert: expert
        ? {
            name: expert.name,
            inputs: expert.inputs,
            allow_algo_trading: expert.allowsAlgoTrading ? 1 : 0,
            allow_dll: canAllowDll ? (expert.allowsDll ? 1 : 0) : null,
            sha256: this.#digests.get(expert.path)?.sha256 ?? null,
            ...findState({ name: expert.name, symbol, period: period ?? '' }),
          }
        : null,
    };
  }

  async #readPrograms(charts: readonly ProfileChart[]): Promise<void> {
    const paths = new Set(charts.flatMap(({ expert }) => expert?.path ?? []));
    const digests = new Map<string, Digest>();
    let leftBytes = MAX_PROGRAM_BYTES;
    for (const path of paths) {
      const stats = await this.#findStats(path);
      if (!stats) continue;
      const known = this.#digests.get(path);
      const isFresh = known?.size === stats.size && known.mtimeMs === stats.mtimeMs;
      if (!isFresh) leftBytes -= stats.size;
      if (leftBytes < 0) break;
      const digest = isFresh ? known : await this.#read(path, stats);
      if (digest) digests.set(path, digest);
    }
    this.#digests = digests;
  }

  #findStats(path: string): Promise<{ size: number; mtimeMs: number } | undefined> {
    return unlessUnsafe(() => this.#parts.home.files.findStats(toProgramFile(this.#parts, path)));
  }

  async #read(path: string, { size, mtimeMs }: Omit<Digest, 'sha256'>): Promise<Digest | undefined> {
    const sha256 = await unlessUnsafe(() => findProgramSha256(this.#parts, path));
    return sha256 === undefined ? undefined : { size, mtimeMs, sha256 };
  }
}
