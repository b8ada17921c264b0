import type { ChartExpert } from '../files/charts.ts';
import { toChartId, type ProfileChart } from '../files/profile.ts';
import { withoutFolder } from '../journal/journal-events.ts';

export type ExpertChart = ProfileChart & { expert: ChartExpert };

export const isChartCalled = (chart: ProfileChart, id: string): boolean =>
  toChartId(chart) === id || chart.file.toLowerCase() === `${id.toLowerCase()}.chr`;

/** Paths as charts name them. Windows does not distinguish their case. */
export const isSameProgram = (path: string, other: string): boolean => path.toLowerCase() === other.toLowerCase();

/** Whether a name means this EA: its path below `Experts`, or else its name, in whatever folder it is. */
export const isExpertCalled = ({ name, path }: ChartExpert, called: string): boolean =>
  called.includes('\\')
    ? isSameProgram(path.replace(/\.ex[45]$/i, ''), `Experts\\${called}`)
    : withoutFolder(name) === called;

/** The charts that the payload selects: one by its id, all with an EA of this name, or both at once. */
export const selectExpertCharts = (
  charts: readonly ProfileChart[],
  { chart_id: id, name }: { chart_id?: string; name?: string },
): ExpertChart[] =>
  charts.filter(
    (chart): chart is ExpertChart =>
      chart.expert !== undefined &&
      (id === undefined || isChartCalled(chart, id)) &&
      (name === undefined || isExpertCalled(chart.expert, name)),
  );
