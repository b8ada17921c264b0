import { toChartId } from '../files/profile.ts';
import type { TerminalParts } from '../parts.ts';
import { toExpertPlace } from '../run/count-charts.ts';
import { isSamePlace, type TerminalView } from '../run/terminal-view.ts';
import { StepFailure } from '../step-failure.ts';
import { changeExperts } from './change-experts.ts';
import { deleteProgram } from './expert-files.ts';
import { toNotUnderstood } from './not-understood.ts';
import { selectExpertCharts, type ExpertChart } from './select-charts.ts';
import { assertRunning, type TaskHandler, type TaskRun } from './task-run.ts';

const toPlace = (chart: ExpertChart) => toExpertPlace(chart, chart.expert);

/** Deletes programs that are no longer used by any chart. */
const deleteUnused = async (terminal: TerminalParts, programs: readonly string[]): Promise<void> => {
  const used = new Set((await terminal.home.profile.listCharts()).map((chart) => chart.expert?.path.toLowerCase()));
  for (const program of programs) if (!used.has(program.toLowerCase())) await deleteProgram(terminal, program);
};

/** Waits as long as an EA on a chart would take to load. Throws E_FILE when a removed one is back. */
const assertStaysAway = async ({ terminal, signal }: TaskRun, removed: readonly ExpertChart[]): Promise<void> => {
  const { live, edition, home } = terminal;
  const left = selectExpertCharts(await home.profile.listCharts(), {}).map(toPlace);
  const gone = removed.map(toPlace).filter((place) => !left.some((other) => isSamePlace(other, place)));
  const isBack = ({ experts }: TerminalView) =>
    experts.some((expert) => gone.some((place) => isSamePlace(place, expert)));
  if (await live.waitUntil(isBack, { timeoutMs: edition.timing.reloadMs, signal })) {
    throw new StepFailure('E_FILE', 'The terminal loaded the expert again. Its charts were put back; repeat the task.');
  }
};

/** EA_REMOVE. Closes the EA's charts; if there are none left, there is nothing to do. */
export const eaRemove: TaskHandler<'EA_REMOVE'> = async (run) => {
  const { payload, terminal, steps } = run;
  const { home, record, edition } = terminal;
  assertRunning(terminal);
  const { profile } = home;
  const charts = selectExpertCharts(await profile.listCharts(), payload);
  const removed = charts.map(toChartId);
  const deletesFile = payload.delete_file === 1;
  if (charts.length === 0) {
    await steps.run('remove_expert', async () => {
      if (deletesFile && payload.name !== undefined) {
        await deleteUnused(terminal, [edition.dialect.charts.toExpertPath(payload.name)]);
      }
      return { message: 'No chart has this expert, so there was nothing to remove.', data: { removed } };
    });
    return;
  }
  const programs = deletesFile ? [...new Set(charts.map(({ expert }) => expert.path))] : [];
  await changeExperts(run, {
    step: 'close_charts',
    programs,
    change: async () => {
      // Read again: the terminal rewrote its charts when it stopped, and may have given them other files.
      const { charts: saved, notUnderstood } = await profile.read();
      const closed = selectExpertCharts(saved, payload);
      await profile.remove(closed);
      await deleteUnused(terminal, programs);
      return { message: `Closed ${closed.length} chart(s).`, data: toNotUnderstood(notUnderstood) };
    },
    proof: {
      step: 'remove_expert',
      prove: async () => {
        await assertStaysAway(run, charts);
        const kept = Object.entries(record.get().installations).filter(([id]) => !removed.includes(id));
        await record.update({ installations: Object.fromEntries(kept) });
        return { message: 'The expert does not run any more.', data: { removed } };
      },
    },
  });
};
