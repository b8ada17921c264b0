import type { ChartExpert } from '../files/charts.ts';
import { toChartId, type ProfileChart } from '../files/profile.ts';

export type ExpertChart = ProfileChart & { expert: ChartExpert };

export const isChartCalled = (chart: ProfileChart, id: string): boolean =>
  toChartId(chart) === id || chart.file.toLowerCase() === `${id.toLowerCase()}.chr`;

/** The charts that the payload selects: one by its id, all with an EA of this name, or both at once. */
export const selectExpertCharts = (
  charts: readonly ProfileChart[],
  { chart_id: id, name }: { chart_id?: string; name?: string },
): ExpertChart[] =>
  charts.filter(
    (chart): chart is ExpertChart =>
      chart.expert !== undefined &&
      (id === undefined || isChartCalled(chart, id)) &&
      (name === undefined || chart.expert.name === name),
  );
