import type { ChartExpert } from '../files/charts.ts';
import { toChartId, type ProfileChart } from '../files/profile.ts';

export type ExpertChart = ProfileChart & { expert: ChartExpert };

export const isChartCalled = (chart: ProfileChart, id: string): boolean =>
  toChartId(chart) === id || chart.file.toLowerCase() === `${id.toLowerCase()}.chr`;

/** The charts with an expert that the payload means: one by its id, all of a name, or both at once. */
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
