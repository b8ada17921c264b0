import { createHash, randomInt } from 'node:crypto';
import type { TradingState } from '@berth/contract/values';
import { toMissingText } from '../code-page.ts';
import { MAX_CHARTS, toChartId, type ProfileChart } from '../files/profile.ts';
import { isSamePlace } from '../run/expert-roster.ts';
import { toTradingHint } from '../run/trading.ts';
import { StepFailure } from '../step-failure.ts';
import { createChartBlock, putExpert, type ChartExpert, type ChartForm, toInputTexts } from '../files/charts.ts';
import { changeExperts, waitForExperts } from './change-experts.ts';
import { downloadFile } from './download.ts';
import { findProgramSha256, takeProgramSnapshot, writeProgram } from './expert-files.ts';
import { waitForTrading } from './log-in.ts';
import { isSameProgram } from './select-charts.ts';
import { type TerminalParts, assertRunning, type TaskHandler, type TaskRun } from './task-run.ts';
import { toNotUnderstood } from './step-texts.ts';

const toExpert = (
  form: ChartForm,
  { name, inputs, allow_algo_trading, allow_dll }: TaskRun<'EA_INSTALL'>['payload'],
): ChartExpert => ({
  name: form.toExpertName(name),
  path: form.toExpertPath(name),
  allowsAlgoTrading: allow_algo_trading === 1,
  allowsDll: allow_dll === 1,
  inputs: toInputTexts(inputs ?? {}),
});

/**
 * Equal digests mean identical installations. The chart's file cannot show it: the terminal adds inputs of its own to
 * it.
 */
const toDigest = (...parts: unknown[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** A new chart number: 18 digits that no other chart has. */
const createChartNumber = (): string => `13${Date.now()}${String(randomInt(1000)).padStart(3, '0')}`;

const findChart = async (
  { home, edition }: TerminalParts,
  { name, symbol, period }: TaskRun<'EA_INSTALL'>['payload'],
): Promise<ProfileChart | undefined> => {
  const path = edition.dialect.charts.toExpertPath(name);
  return (await home.profile.listCharts()).find(
    (chart) =>
      chart.symbol === symbol && chart.period === period && chart.expert && isSameProgram(chart.expert.path, path),
  );
};

/** The chart on which exactly this is already installed and loaded. */
const findInstalled = async (
  run: TaskRun<'EA_INSTALL'>,
  sha256: string,
  digest: string,
): Promise<string | undefined> => {
  const { payload, terminal } = run;
  const chart = await findChart(terminal, payload);
  if (!chart || terminal.record.get().installations[toChartId(chart)] !== digest) return undefined;
  const isLoaded = terminal.live.view.experts.some((place) => isSamePlace(place, payload));
  const isSameFile =
    (await findProgramSha256(terminal, terminal.edition.dialect.charts.toExpertPath(payload.name))) === sha256;
  return isLoaded && isSameFile ? toChartId(chart) : undefined;
};

/** Puts the EA on the chart that already has it, otherwise on a new one. @returns the chart's id */
const placeExpert = async (
  terminal: TerminalParts,
  payload: TaskRun<'EA_INSTALL'>['payload'],
  expert: ChartExpert,
): Promise<string> => {
  const { profile } = terminal.home;
  const form = terminal.edition.dialect.charts;
  const existing = await findChart(terminal, payload);
  if (existing) {
    putExpert(form, existing.block, expert);
    await profile.write(existing);
    return toChartId(existing);
  }
  if ((await profile.listCharts()).length >= MAX_CHARTS) {
    throw new StepFailure('E_UNSUPPORTED', `The terminal has ${MAX_CHARTS} charts, its limit. Remove an expert first.`);
  }
  const id = createChartNumber();
  await profile.add(createChartBlock(form, { id, symbol: payload.symbol, period: payload.period, expert }));
  return id;
};

/** An EA that was not supposed to trade needs no note about it. */
const toHint = (expert: ChartExpert, trading: TradingState): string =>
  expert.allowsAlgoTrading ? toTradingHint(trading) : '';

/** Throws E_UNSUPPORTED for texts that a chart of the program cannot hold. @param texts by what they are called */
export const assertHeldByCharts = async (
  { home, edition }: TerminalParts,
  texts: readonly (readonly [what: string, text: string])[],
): Promise<void> => {
  const { program, charts } = edition.dialect;
  if (charts.isUnicode) return;
  const codePage = await home.findCodePage();
  const findMissing = (text: string) => (codePage ? codePage.findMissing(text) : /[^\x20-\x7e]/u.exec(text)?.[0]);
  for (const [what, text] of texts) {
    const missing = findMissing(text);
    if (missing === undefined) continue;
    const reason = codePage
      ? toMissingText(codePage, missing)
      : `The code page of this ${program} is not known: its charts hold letters without accents alone.`;
    throw new StepFailure('E_UNSUPPORTED', `${reason} Change the ${what}, or set it on the terminal's screen.`);
  }
};

export const listInputTexts = (inputs: Readonly<Record<string, string>>): [what: string, text: string][] =>
  Object.entries(inputs).map(([name, value]) => [`input ${name}`, `${name}=${value}`]);

/** Throws E_UNSUPPORTED for what the program cannot do, and says what to do instead. */
const assertPossible = async (
  terminal: TerminalParts,
  { name, symbol, period, allow_dll, inputs }: TaskRun<'EA_INSTALL'>['payload'],
): Promise<void> => {
  const { program, charts } = terminal.edition.dialect;
  const names: [string, string][] = [
    ['name of the expert', name],
    ['symbol', symbol],
  ];
  await assertHeldByCharts(terminal, [...names, ...listInputTexts(toInputTexts(inputs ?? {}))]);
  if (!charts.periods.includes(period)) {
    const text = `${program} has no period ${period}. Use one of ${charts.periods.join(', ')}.`;
    throw new StepFailure('E_UNSUPPORTED', text);
  }
  if (allow_dll === 1 && !charts.canAllowDll) {
    const text = `How a chart of ${program} allows DLLs is not known. Leave allow_dll out, and allow them on its screen.`;
    throw new StepFailure('E_UNSUPPORTED', text);
  }
};

/** EA_INSTALL. Repeating the same installation changes nothing; other inputs or another file replace the former one. */
export const eaInstall: TaskHandler<'EA_INSTALL'> = async (run) => {
  const { payload, terminal, steps, signal } = run;
  const { record, edition } = terminal;
  assertRunning(terminal);
  await assertPossible(terminal, payload);
  const { content, sha256 } = await downloadFile(run, payload.file_id);
  const expert = toExpert(edition.dialect.charts, payload);
  const digest = toDigest(payload.symbol, payload.period, sha256, expert);
  const installedOn = await findInstalled(run, sha256, digest);
  if (installedOn !== undefined) {
    await steps.run('load_expert', async () => {
      const trading = await waitForTrading(terminal, signal, expert.allowsAlgoTrading);
      const message = `${payload.name} is loaded already, with the same file and inputs.${toHint(expert, trading)}`;
      return { message, data: { chart_id: installedOn, sha256, ...trading } };
    });
    return;
  }
  let chartId = '';
  await changeExperts(run, {
    step: 'write_files',
    change: async (_profile, onUndo) => {
      onUndo(await takeProgramSnapshot(terminal, expert.path));
      await writeProgram(terminal, expert.path, content);
      const { notUnderstood } = await terminal.home.profile.read();
      chartId = await placeExpert(terminal, payload, expert);
      return { message: 'The program and its chart are in place.', data: toNotUnderstood(notUnderstood) };
    },
    proof: {
      step: 'load_expert',
      prove: async (logged) => {
        await waitForExperts(terminal, { places: [{ ...payload, name: expert.name }], logged, signal });
        const installations = { ...record.get().installations, [chartId]: digest };
        await record.update({ installations, removing: null });
        const trading = await waitForTrading(terminal, signal, expert.allowsAlgoTrading);
        const message = `${payload.name} is loaded on ${payload.symbol},${payload.period}.${toHint(expert, trading)}`;
        return { message, data: { chart_id: chartId, sha256, ...trading } };
      },
    },
  });
};
