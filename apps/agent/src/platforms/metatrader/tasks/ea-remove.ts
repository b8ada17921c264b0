import { toChartId } from '../files/profile.ts';
import { withoutFolder } from '../journal/journal-events.ts';
import type { TerminalParts } from '../parts.ts';
import { toExpertPlace } from '../run/count-charts.ts';
import { isSamePlace } from '../run/expert-roster.ts';
import type { TerminalView } from '../run/terminal-view.ts';
import { StepFailure } from '../step-failure.ts';
import { changeExperts } from './change-experts.ts';
import { deleteProgram, findProgramSha256 } from './expert-files.ts';
import { toNotUnderstood } from './not-understood.ts';
import { isSameProgram, selectExpertCharts, type ExpertChart } from './select-charts.ts';
import { assertRunning, type TaskHandler, type TaskRun } from './task-run.ts';

const toPlace = (chart: ExpertChart) => toExpertPlace(chart, chart.expert);

/** Deletes programs that are no longer used by any chart. */
const deleteUnused = async (terminal: TerminalParts, programs: readonly string[]): Promise<void> => {
  const charts = selectExpertCharts(await terminal.home.profile.listCharts(), {});
  const isUsed = (program: string) => charts.some(({ expert }) => isSameProgram(expert.path, program));
  for (const program of programs) if (!isUsed(program)) await deleteProgram(terminal, program);
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

/**
 * No chart has the EA. Throws E_FILE where its program is there and stays: then the task may have meant something else
 * than it says.
 */
const assertNoFile = async (terminal: TerminalParts, name: string): Promise<void> => {
  const path = terminal.edition.dialect.charts.toExpertPath(name);
  if ((await findProgramSha256(terminal, path)) === undefined) return;
  const text = `No chart has ${name}, but its file is there. Look at the charts, or delete the file with delete_file.`;
  throw new StepFailure('E_FILE', text);
};

const removeNothing = async ({ payload, terminal, steps }: TaskRun<'EA_REMOVE'>): Promise<void> => {
  const { name, delete_file: deletesFile } = payload;
  await steps.run('remove_expert', async () => {
    if (name !== undefined && deletesFile === 1) {
      await deleteUnused(terminal, [terminal.edition.dialect.charts.toExpertPath(name)]);
    }
    const isDone = name !== undefined && terminal.record.get().removing === name;
    if (name !== undefined && !isDone) await assertNoFile(terminal, name);
    if (isDone) await terminal.record.update({ removing: null });
    return { message: 'No chart has this expert, so there was nothing to remove.', data: { removed: [] } };
  });
};

/** An EA that was put on a chart by hand is in no file until the terminal stops. */
const isLoaded = ({ live }: TerminalParts, name: string): boolean =>
  live.view.experts.some((expert) => withoutFolder(expert.name) === withoutFolder(name));

/** EA_REMOVE. Closes the EA's charts. */
export const eaRemove: TaskHandler<'EA_REMOVE'> = async (run) => {
  const { payload, terminal } = run;
  const { home, record, edition } = terminal;
  const form = edition.dialect.charts;
  assertRunning(terminal);
  let charts = selectExpertCharts(await home.profile.listCharts(), payload);
  const { name, chart_id } = payload;
  const isByHand = chart_id === undefined && name !== undefined && isLoaded(terminal, name);
  if (charts.length === 0 && !isByHand) return removeNothing(run);
  const paths = isByHand && charts.length === 0 ? [form.toExpertPath(name)] : charts.map(({ expert }) => expert.path);
  const programs = payload.delete_file === 1 ? [...new Set(paths)] : [];
  await changeExperts(run, {
    step: 'close_charts',
    programs,
    change: async (profile) => {
      // Read again: the terminal rewrote its charts when it stopped, and may have given them other files.
      const { charts: saved, notUnderstood } = await profile.read();
      charts = selectExpertCharts(saved, payload);
      await record.update({ removing: name ?? null });
      await profile.remove(charts);
      await deleteUnused(terminal, programs);
      if (charts.length === 0 && name !== undefined) await assertNoFile(terminal, name);
      return { message: `Closed ${charts.length} chart(s).`, data: toNotUnderstood(notUnderstood) };
    },
    proof: {
      step: 'remove_expert',
      prove: async () => {
        await assertStaysAway(run, charts);
        const removed = charts.map(toChartId);
        const kept = Object.entries(record.get().installations).filter(([id]) => !removed.includes(id));
        await record.update({ installations: Object.fromEntries(kept), removing: null });
        return { message: 'The expert does not run any more.', data: { removed } };
      },
    },
  });
};
