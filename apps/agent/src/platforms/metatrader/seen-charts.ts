/**
 * The charts of a terminal and their EAs, as far as a host can see them without touching the terminal: from the chart
 * files, which it writes when it is closed and which a task writes before a start, and from its journal since that
 * start.
 */
import type { TerminalChart } from '@berth/contract/agent';
import type { ExpertState } from '@berth/contract/values';
import { toChartId, type ProfileChart } from './files/profile.ts';
import type { TerminalParts } from './parts.ts';
import { toPlaceKey, type ExpertPlace, type TerminalView } from './run/terminal-view.ts';
import { findProgramSha256, toProgramFile } from './tasks/expert-files.ts';
import { unlessUnsafe } from './unless-unsafe.ts';

/** They are read repeatedly, beside everything else: beyond this size only the first are read. */
const MAX_CHART_BYTES = 4 * 1024 * 1024;
/** Of new or changed programs, per look. */
const MAX_PROGRAM_BYTES = 32 * 1024 * 1024;

const countByPlace = (places: readonly ExpertPlace[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const place of places) counts.set(toPlaceKey(place), (counts.get(toPlaceKey(place)) ?? 0) + 1);
  return counts;
};

/**
 * Determines the state of each EA from the journal, one after the other. The journal names places, not charts: of
 * several charts with one EA on one symbol and period, as many count as running as were loaded.
 */
export const createStateFinder = (
  { experts, failedExperts }: Pick<TerminalView, 'experts' | 'failedExperts'>,
  isAlive: boolean,
): ((place: ExpertPlace) => ExpertState) => {
  const [loaded, failed] = [countByPlace(experts), countByPlace(failedExperts)];
  return (place) => {
    if (!isAlive) return 'stopped';
    const key = toPlaceKey(place);
    const count = loaded.get(key) ?? 0;
    if (count > 0) {
      loaded.set(key, count - 1);
      return 'running';
    }
    return failed.has(key) ? 'failed' : 'unknown';
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

  #toSeen(chart: ProfileChart, findState: (place: ExpertPlace) => ExpertState): TerminalChart {
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
            state: findState({ name: expert.name, symbol, period: period ?? '' }),
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
