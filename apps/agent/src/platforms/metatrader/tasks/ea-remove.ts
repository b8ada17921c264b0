import { toChartId, type ProfileChart } from '../files/profile.ts';
import { withoutFolder, type ExpertPlace } from '../journal/journal-events.ts';
import type { TerminalView } from '../run/terminal-view.ts';
import { StepFailure } from '../step-failure.ts';
import { toExpertPlace, countAt } from '../run/expert-roster.ts';
import { changeExperts } from './change-experts.ts';
import { deleteProgram, findProgramSha256, takeProgramSnapshot } from './expert-files.ts';
import { isSameProgram, selectExpertCharts, type ExpertChart } from './select-charts.ts';
import { type TerminalParts, assertRunning, type TaskHandler, type TaskRun } from './task-run.ts';
import { countWords, toNotUnderstood } from './step-texts.ts';

const toPlace = (chart: ExpertChart) => toExpertPlace(chart, chart.expert);

/** Deletes programs that are no longer used by any chart. */
const deleteUnused = async (terminal: TerminalParts, programs: readonly string[]): Promise<void> => {
  const charts = selectExpertCharts(await terminal.home.profile.listCharts(), {});
  const isUsed = (program: string) => charts.some(({ expert }) => isSameProgram(expert.path, program));
  for (const program of programs) if (!isUsed(program)) await deleteProgram(terminal, program);
};

/** Waits as long as an EA on a chart would take to load. Throws E_FILE when one is back at a place where it was removed. */
const assertStaysAway = async ({ terminal, signal }: TaskRun, removed: readonly ExpertPlace[]): Promise<void> => {
  const { live, edition, home } = terminal;
  const left = selectExpertCharts(await home.profile.listCharts(), {}).map(toPlace);
  const isBack = ({ experts }: TerminalView) => removed.some((place) => countAt(experts, place) > countAt(left, place));
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

/** The folder of an EA is compared where both names have one: the journal of MetaTrader 5 never names it. */
const isLoadedAs = ({ name }: ExpertPlace, called: string): boolean =>
  name.includes('\\') && called.includes('\\')
    ? isSameProgram(name, called)
    : withoutFolder(name) === withoutFolder(called);

/** EAs that were put on charts by hand: they are in no file until the terminal stops. */
const listByHand = (
  { live }: TerminalParts,
  charts: readonly ProfileChart[],
  { chart_id, name }: TaskRun<'EA_REMOVE'>['payload'],
): ExpertPlace[] => {
  if (chart_id !== undefined || name === undefined) return [];
  const known = selectExpertCharts(charts, {}).map(toPlace);
  return live.view.experts.filter((expert) => isLoadedAs(expert, name) && countAt(known, expert) === 0);
};

/** EA_REMOVE. Closes the EA's charts. */
export const eaRemove: TaskHandler<'EA_REMOVE'> = async (run) => {
  const { payload, terminal } = run;
  const { home, record, edition } = terminal;
  assertRunning(terminal);
  const before = await home.profile.listCharts();
  const byHand = listByHand(terminal, before, payload);
  if (selectExpertCharts(before, payload).length === 0 && byHand.length === 0) return removeNothing(run);
  const { name, delete_file: deletesFile } = payload;
  let charts: ExpertChart[] = [];
  await changeExperts(run, {
    step: 'close_charts',
    change: async (profile, onUndo) => {
      const { charts: saved, notUnderstood } = await profile.read();
      charts = selectExpertCharts(saved, payload);
      const paths = charts.map(({ expert }) => expert.path);
      if (paths.length === 0 && name !== undefined) {
        if (deletesFile === 1) paths.push(edition.dialect.charts.toExpertPath(name));
        else await assertNoFile(terminal, name);
      }
      onUndo(() => record.update({ removing: null }));
      await record.update({ removing: name ?? null });
      await profile.remove(charts);
      if (deletesFile === 1) {
        for (const path of new Set(paths)) onUndo(await takeProgramSnapshot(terminal, path));
        await deleteUnused(terminal, paths);
      }
      return { message: `Closed ${countWords(charts.length, 'chart')}.`, data: toNotUnderstood(notUnderstood) };
    },
    proof: {
      step: 'remove_expert',
      prove: async () => {
        await assertStaysAway(run, [...charts.map(toPlace), ...byHand]);
        const removed = charts.map(toChartId);
        const kept = Object.entries(record.get().installations).filter(([id]) => !removed.includes(id));
        await record.update({ installations: Object.fromEntries(kept), removing: null });
        return { message: 'The expert does not run any more.', data: { removed } };
      },
    },
  });
};
