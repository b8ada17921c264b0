import { existsSync } from 'node:fs';
import { findInside } from '../../files/folder.ts';
import { findText } from '../../files/text-file.ts';
import { applyPreset, applyTemplate, createChart, setExpert, toCaption, type Chart } from '../charts/chart.ts';
import type { MarketWatch } from '../charts/market-watch.ts';
import type { Profile } from '../charts/profile.ts';
import type { Journal } from '../journal.ts';
import type { Platform } from '../platform/platform.ts';
import type { StartUp } from '../platform/start-file.ts';

/** The only script that the sandbox can run, by its name. */
const SHOW_ALL_SYMBOLS = 'ShowAllSymbols';

/**
 * The chart of the StartUp section: an extra one where a symbol is given (never saved), else the profile's first.
 * Undefined without charts: then nothing of the section is started.
 */
const findStartUpChart = (platform: Platform, profile: Profile, { symbol, period }: StartUp): Chart | undefined => {
  if (symbol === undefined || symbol === '') return profile.charts[0];
  const chart = createChart(platform, symbol, period);
  profile.charts.push(chart);
  return chart;
};

export interface PreparedScript {
  name: string;
  chart: Chart;
}

/** Opens the StartUp section's chart, puts its EA on it and returns the script to be run there, if any. */
export const prepareStartUp = (
  root: string,
  platform: Platform,
  profile: Profile,
  startUp: StartUp,
): PreparedScript | undefined => {
  const { layout, programEnding } = platform;
  if (!startUp.expert && !startUp.script && !startUp.symbol) return undefined;
  const chart = findStartUpChart(platform, profile, startUp);
  if (!chart) return undefined;
  const read = (folder: string, file: string | undefined): string | undefined => {
    const path = file ? findInside(root, `${folder}/${file}`) : undefined;
    return path && findText(path);
  };
  const template = read(layout.templates, startUp.template);
  if (template !== undefined) applyTemplate(platform, chart, template);
  const exists = (folder: string, name: string): boolean => {
    const path = findInside(root, `${folder}/${name}${programEnding}`);
    return path !== undefined && existsSync(path);
  };
  if (startUp.expert && exists(layout.experts, startUp.expert)) {
    const expert = platform.newExpert(startUp.expert.replaceAll('/', '\\'));
    const preset = read(layout.presets, startUp.expertParameters);
    if (preset !== undefined) applyPreset(expert, preset);
    setExpert(chart, expert);
  }
  return startUp.script && exists(layout.scripts, startUp.script) ? { name: startUp.script, chart } : undefined;
};

export interface ScriptOptions {
  platform: Platform;
  journal: Journal;
  expertsJournal: Journal;
  marketWatch: MarketWatch;
  /** Settles when the terminal is logged in; a script starts before that and has to wait. */
  online: Promise<void>;
}

/** Runs a script to its end: the helper that shows all symbols is simulated, any other is loaded and removed. */
export const runScript = async ({ name, chart }: PreparedScript, options: ScriptOptions): Promise<void> => {
  const { platform, journal, expertsJournal, marketWatch, online } = options;
  const { texts } = platform;
  const caption = toCaption(chart);
  const shortName = name.split(/[\\/]/).at(-1) ?? name;
  const print = (message: string): void =>
    expertsJournal.print(texts.programSource(shortName, caption), texts.programLine(shortName, caption, message));
  journal.print('Scripts', texts.scriptLoaded(shortName, caption));
  if (shortName === SHOW_ALL_SYMBOLS) {
    await online;
    print(`symbols=${marketWatch.selectAll()}`);
  } else print('loaded by the Berth sandbox, which does not run MQL code');
  journal.print('Scripts', texts.scriptRemoved(shortName, caption));
};
