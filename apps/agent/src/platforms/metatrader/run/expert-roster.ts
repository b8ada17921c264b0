/**
 * The EAs of a running terminal, by what its journal and the EAs' own log say. Pure.
 *
 *   (loaded) ─▶ running ─ removed ─▶ ended
 *                  └───── refused, or an error of its code ─▶ failed ─ (loaded again) ─▶ running
 *
 * A chart has one EA, so an EA that is loaded takes the place of one that failed or ended there. The two logs reach the
 * disk independently of each other: an error is matched with a load by the times of their lines.
 */
import type { Chart, ChartExpert } from '../files/charts.ts';
import type { Profile } from '../files/profile.ts';
import { unlessUnsafe } from '../files/text-file.ts';
import { withoutFolder, type ExpertPlace, type Moment } from '../journal/journal-events.ts';

/** An EA that was loaded, and when. */
export type LoadedExpert = ExpertPlace & Moment;

/** An EA that the terminal refused, or that ended with an error, and when. */
export interface FailedExpert extends ExpertPlace, Moment {
  reason: string;
  /** The line that says so. */
  line: string;
  /** It was loaded and has not been removed: one whose code failed stays on its chart. */
  isOnChart: boolean;
  /** Its load is not known yet. */
  isEarly: boolean;
}

export interface ExpertRoster {
  /** How many charts have an EA at a place, by its key, according to their files at the start; undefined where unknown. */
  chartsAt: ReadonlyMap<string, number> | undefined;
  /**
   * Running EAs, the one that was loaded last at the end; a place is listed once for each load line, and at most once for
   * each of its charts: a change of account loads EAs again without a removal.
   */
  experts: readonly LoadedExpert[];
  failedExperts: readonly FailedExpert[];
  /** Loaded and removed, by themselves or by hand. */
  endedExperts: readonly LoadedExpert[];
  /** A part of the EAs' log was skipped: whether they still run is not known. */
  isExpertsLogCut: boolean;
}

export const createRoster = (chartsAt: ExpertRoster['chartsAt']): ExpertRoster => ({
  chartsAt,
  experts: [],
  failedExperts: [],
  endedExperts: [],
  isExpertsLogCut: false,
});

/**
 * Equal for equal places. MetaTrader 4 separates name and symbol by a space, which both may contain, so the boundary
 * between them is not compared; nor is the folder of the EA, which it names only when it loads it.
 */
export const toPlaceKey = ({ name, symbol, period }: ExpertPlace): string =>
  `${withoutFolder(name)} ${symbol},${period}`;

export const isSamePlace = (a: ExpertPlace, b: ExpertPlace): boolean => toPlaceKey(a) === toPlaceKey(b);

export const countAt = (places: readonly ExpertPlace[], place: ExpertPlace): number =>
  places.filter((each) => isSamePlace(each, place)).length;

/** Whether there is an EA for each of the places: a place that is given twice needs two. */
export const areRunning = (experts: readonly ExpertPlace[], places: readonly ExpertPlace[]): boolean =>
  places.every((place) => countAt(experts, place) >= countAt(places, place));

/** More than any terminal has charts; larger numbers are not believed, and the lists must not grow without end. */
const MAX_REMEMBERED = 500;

/** Appends an item; if there are too many, the oldest is dropped. */
export const withLast = <Item>(items: readonly Item[], item: Item): readonly Item[] => [
  ...items.slice(1 - MAX_REMEMBERED),
  item,
];

const without = <Item>(items: readonly Item[], index: number): readonly Item[] =>
  index < 0 ? items : items.toSpliced(index, 1);

/** Lines without a time count as written in the order in which they are read. */
const isSince = ({ at = '' }: Moment, { at: since = '' }: Moment): boolean => at === '' || at >= since;

const toLoaded = ({ name, symbol, period, at }: LoadedExpert): LoadedExpert => ({
  name,
  symbol,
  period,
  ...(at === undefined ? {} : { at }),
});

/** A chart whose period was changed says so only by the new period in later lines. */
const findRunning = (experts: readonly LoadedExpert[], place: ExpertPlace): number => {
  const exact = experts.findIndex((expert) => isSamePlace(expert, place));
  return exact < 0 ? experts.findIndex((expert) => isSamePlace({ ...expert, period: place.period }, place)) : exact;
};

/** One chart at this place has an EA less in these lists, because another one is there now. */
const withoutFormer = <View extends ExpertRoster>(view: View, place: ExpertPlace): View => {
  const failed = view.failedExperts.findIndex((each) => isSamePlace(each, place));
  if (failed >= 0) return { ...view, failedExperts: without(view.failedExperts, failed) };
  const ended = view.endedExperts.findIndex((each) => isSamePlace(each, place));
  return { ...view, endedExperts: without(view.endedExperts, ended) };
};

export const withLoaded = <View extends ExpertRoster>(view: View, loaded: LoadedExpert): View => {
  const { chartsAt, experts, failedExperts, endedExperts } = view;
  const early = failedExperts.findIndex((each) => each.isEarly && isSamePlace(each, loaded) && isSince(each, loaded));
  const known = failedExperts[early];
  if (known) return { ...view, failedExperts: failedExperts.with(early, { ...known, isEarly: false }) };
  const charts = chartsAt?.get(toPlaceKey(loaded)) ?? 1;
  const running = countAt(experts, loaded);
  if (chartsAt && running >= charts) {
    const oldest = experts.findIndex((each) => isSamePlace(each, loaded));
    return { ...view, experts: withLast(without(experts, oldest), toLoaded(loaded)) };
  }
  const others = countAt(failedExperts, loaded) + countAt(endedExperts, loaded);
  const rest = running + others < charts ? view : withoutFormer(view, loaded);
  return { ...rest, experts: withLast(experts, toLoaded(loaded)) };
};

/** Of several EAs at one place, the one whose code failed is removed first: that is how it is loaded again. */
export const withRemoved = <View extends ExpertRoster>(view: View, place: ExpertPlace): View => {
  const { experts, failedExperts, endedExperts } = view;
  const failed = failedExperts.findIndex((each) => each.isOnChart && isSamePlace(each, place));
  const known = failedExperts[failed];
  if (known) return { ...view, failedExperts: failedExperts.with(failed, { ...known, isOnChart: false }) };
  const index = findRunning(experts, place);
  const removed = experts[index];
  if (!removed) return view;
  return { ...view, experts: without(experts, index), endedExperts: withLast(endedExperts, removed) };
};

/** The terminal refused it, loaded or not. */
export const withRefused = <View extends ExpertRoster>(
  view: View,
  { reason, line, ...place }: ExpertPlace & Pick<FailedExpert, 'reason' | 'line'>,
): View => {
  const { experts, failedExperts } = view;
  const index = findRunning(experts, place);
  const known = failedExperts.findIndex((each) => each.isOnChart && isSamePlace(each, place));
  const others = index < 0 ? without(failedExperts, known) : failedExperts;
  const loaded = toLoaded(experts[index] ?? place);
  const failed = { ...loaded, reason, line, isOnChart: index >= 0 || known >= 0, isEarly: false };
  return { ...view, experts: without(experts, index), failedExperts: withLast(others, failed) };
};

/**
 * An error ended a program. Indicators and scripts have such errors too: only one with the name and the place of an EA
 * is meant here.
 */
export const withCrashed = <View extends ExpertRoster>(
  view: View,
  { line, ...crashed }: LoadedExpert & Pick<FailedExpert, 'line'>,
): View => {
  const { chartsAt, experts, failedExperts, endedExperts } = view;
  const toFailed = (place: ExpertPlace, isOnChart: boolean, isEarly: boolean): readonly FailedExpert[] =>
    withLast(failedExperts, { ...toLoaded({ ...place, at: crashed.at }), reason: line, line, isOnChart, isEarly });
  const index = findRunning(experts, crashed);
  const running = experts[index];
  if (running) {
    if (!isSince(crashed, running)) return view;
    return { ...view, experts: without(experts, index), failedExperts: toFailed(running, true, false) };
  }
  const last = endedExperts.findIndex((each) => isSamePlace(each, crashed) && isSince(crashed, each));
  const ended = endedExperts[last];
  if (ended) {
    return { ...view, endedExperts: without(endedExperts, last), failedExperts: toFailed(ended, false, false) };
  }
  const isExpected =
    chartsAt?.has(toPlaceKey(crashed)) === true &&
    !failedExperts.some(({ isEarly, ...each }) => isEarly && isSamePlace(each, crashed));
  return isExpected ? { ...view, failedExperts: toFailed(crashed, true, true) } : view;
};

/** The place of the chart's EA, as the journal names it. */
export const toExpertPlace = ({ symbol, period }: Chart, { name }: ChartExpert): ExpertPlace => ({
  name,
  symbol,
  period: period ?? '',
});

/** How many charts have an EA at a place, by the place's key. @returns undefined where the charts cannot be read */
export const countCharts = async (profile: Profile): Promise<ReadonlyMap<string, number> | undefined> => {
  const charts = await unlessUnsafe(() => profile.listCharts());
  if (!charts) return undefined;
  const counts = new Map<string, number>();
  for (const chart of charts) {
    if (!chart.expert) continue;
    const key = toPlaceKey(toExpertPlace(chart, chart.expert));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
};
