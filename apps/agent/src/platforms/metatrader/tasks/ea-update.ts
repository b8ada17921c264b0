import { toChartId, type ProfileChart } from '../files/profile.ts';
import { StepFailure } from '../step-failure.ts';
import { putExpert, type ChartForm, toInputTexts } from '../files/charts.ts';
import { toExpertPlace, areRunning } from '../run/expert-roster.ts';
import { changeExperts, waitForExperts } from './change-experts.ts';
import { downloadFile } from './download.ts';
import { assertHeldByCharts, listInputTexts } from './ea-install.ts';
import { findProgramSha256, takeProgramSnapshot, writeProgram } from './expert-files.ts';
import { waitForTrading } from './log-in.ts';
import { isSameProgram, selectExpertCharts, type ExpertChart } from './select-charts.ts';
import { assertRunning, type TaskHandler, type TaskRun } from './task-run.ts';
import { countWords, toNotUnderstood } from './step-texts.ts';

/** Throws E_FILE where no chart has the EA, and where its name means several programs. */
const toCharts = (
  all: readonly ProfileChart[],
  { chart_id, name }: TaskRun<'EA_UPDATE'>['payload'],
): [ExpertChart, ...ExpertChart[]] => {
  const selection = { ...(chart_id === undefined ? {} : { chart_id }), ...(name === undefined ? {} : { name }) };
  const [first, ...others] = selectExpertCharts(all, selection);
  if (!first) throw new StepFailure('E_FILE', 'No chart has this expert. Install it first.');
  if (others.every(({ expert }) => isSameProgram(expert.path, first.expert.path))) return [first, ...others];
  const paths = [...new Set([first, ...others].map(({ expert }) => expert.path))].join(', ');
  const text = `Several experts have this name: ${paths}. Name one by its path below Experts, or one of its charts.`;
  throw new StepFailure('E_FILE', text);
};

/** Sets the given inputs; the others keep their values. */
const applyInputs = (form: ChartForm, charts: readonly ExpertChart[], inputs: Record<string, string>): void => {
  for (const { block, expert } of charts)
    putExpert(form, block, { ...expert, inputs: { ...expert.inputs, ...inputs } });
};

/** What an update concerns, by the charts as they are read. @param file the new program, if any */
const findTarget = async (
  { payload, terminal }: TaskRun<'EA_UPDATE'>,
  all: readonly ProfileChart[],
  file: { sha256: string } | undefined,
) => {
  const charts = toCharts(all, payload);
  const { path, name } = charts[0].expert;
  const reloaded = file ? selectExpertCharts(all, {}).filter(({ expert }) => isSameProgram(expert.path, path)) : charts;
  const oldSha256 = (await findProgramSha256(terminal, path)) ?? null;
  return {
    charts,
    path,
    name,
    places: reloaded.map((chart) => toExpertPlace(chart, chart.expert)),
    mayTrade: charts.every(({ expert }) => expert.allowsAlgoTrading),
    data: { old_sha256: oldSha256, sha256: file?.sha256 ?? oldSha256, charts: charts.map(toChartId) },
  };
};

/**
 * EA_UPDATE. A new file applies to every chart of the EA, new inputs to the chosen ones. Repeating it changes nothing.
 */
export const eaUpdate: TaskHandler<'EA_UPDATE'> = async (run) => {
  const { payload, terminal, steps, signal } = run;
  const { record, edition, home, live } = terminal;
  assertRunning(terminal);
  toCharts(await home.profile.listCharts(), payload);
  const inputs = toInputTexts(payload.inputs ?? {});
  await assertHeldByCharts(terminal, listInputTexts(inputs));
  const file = payload.file_id === undefined ? undefined : await downloadFile(run, payload.file_id);
  let target = await findTarget(run, await home.profile.listCharts(), file);

  const hasInputs = target.charts.every(({ expert }) =>
    Object.entries(inputs).every(([key, value]) => expert.inputs[key] === value),
  );
  const places = target.charts.map((chart) => toExpertPlace(chart, chart.expert));
  if (areRunning(live.view.experts, places) && hasInputs && target.data.sha256 === target.data.old_sha256) {
    const { name, data, mayTrade } = target;
    await steps.run('load_expert', async () => ({
      message: `${name} is up to date already.`,
      data: { ...data, ...(await waitForTrading(terminal, signal, mayTrade)) },
    }));
    return;
  }
  await changeExperts(run, {
    step: 'write_files',
    change: async (profile, onUndo) => {
      const { charts: saved, notUnderstood } = await profile.read();
      target = await findTarget(run, saved, file);
      const { charts, path, name } = target;
      onUndo(await takeProgramSnapshot(terminal, path));
      if (file) await writeProgram(terminal, path, file.content);
      applyInputs(edition.dialect.charts, charts, inputs);
      for (const chart of charts) await profile.write(chart);
      return {
        message: `${name} was updated on ${countWords(charts.length, 'chart')}.`,
        data: toNotUnderstood(notUnderstood),
      };
    },
    proof: {
      step: 'load_expert',
      prove: async (logged) => {
        const { name, data, mayTrade } = target;
        await waitForExperts(terminal, { places: target.places, logged, signal });
        const kept = Object.entries(record.get().installations).filter(([id]) => !data.charts.includes(id));
        await record.update({ installations: Object.fromEntries(kept) });
        return {
          message: `${name} is loaded again.`,
          data: { ...data, ...(await waitForTrading(terminal, signal, mayTrade)) },
        };
      },
    },
  });
};
