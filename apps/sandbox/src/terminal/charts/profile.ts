import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensureFolderOf, resolveOnDisk } from '../../files/folder.ts';
import { findText, toLines, writeLines } from '../../files/text-file.ts';
import { findValue, setValue, toChartLines } from '../platform/chart-file.ts';
import type { Platform } from '../platform/platform.ts';
import { parseChart, type Chart } from './chart.ts';

/** MetaTrader's own limit of open charts. */
const MAX_CHARTS = 100;
const ORDER_FILE = 'order.wnd';

const isFolderName = (name: string): boolean => !/[\\/\0]/.test(name) && !/^\.*$/.test(name);
const isChartFile = (name: string): boolean => isFolderName(name) && /\.chr$/i.test(name);

/**
 * The files of a profile. MetaTrader 5 lists them in `order.wnd`; MetaTrader 4 lists captions there, and uses all files
 * of the folder.
 */
const listFiles = (platform: Platform, orderPath: string): string[] => {
  if (platform.name === 'mt5') return [...new Set(toLines(findText(orderPath) ?? '').map((line) => line.trim()))];
  return existsSync(orderPath) ? readdirSync(dirname(orderPath)).sort() : [];
};

/** The names of the long periods in window captions. */
const LONG_PERIODS: Partial<Record<string, string>> = { D1: 'Daily', W1: 'Weekly', MN1: 'Monthly' };

/** A set of charts on disk. */
export class Profile {
  readonly name: string;
  readonly charts: Chart[];
  readonly #root: string;
  readonly #platform: Platform;

  private constructor(root: string, platform: Platform, name: string, charts: Chart[]) {
    this.#root = root;
    this.#platform = platform;
    this.name = name;
    this.charts = charts;
  }

  /** Opens the first of the named profiles that exists with an order file; else the default one, empty if need be. */
  static open(root: string, platform: Platform, names: readonly (string | undefined)[]): Profile {
    const toFile = (name: string, file: string): string =>
      resolveOnDisk(root, `${platform.layout.profiles}/${name}/${file}`);
    const fallback = platform.name === 'mt5' ? 'Default' : 'default';
    const known = names.filter((name) => name !== undefined).filter(isFolderName);
    const name = known.find((candidate) => existsSync(toFile(candidate, ORDER_FILE))) ?? fallback;
    const files = listFiles(platform, toFile(name, ORDER_FILE));
    const charts = files.filter(isChartFile).flatMap((file) => {
      const text = findText(toFile(name, file));
      return (text !== undefined && parseChart(platform, file, text)) || [];
    });
    return new Profile(root, platform, name, charts.slice(0, MAX_CHARTS));
  }

  /** Rewrites every chart and the order; what was edited on disk in the meantime is lost, as in a real terminal. */
  save(): void {
    const { chartEncoding, layout } = this.#platform;
    const toFile = (file: string): string => ensureFolderOf(this.#root, `${layout.profiles}/${this.name}/${file}`);
    const kept = this.charts.filter((chart) => chart.file !== undefined);
    for (const [index, chart] of kept.entries()) {
      if (findValue(chart.block, 'id') === undefined) setValue(chart.block, 'id', `${Date.now()}${100_000 + index}`);
      writeLines(toFile(chart.file ?? ''), toChartLines(chart.block), chartEncoding);
    }
    writeLines(
      toFile(ORDER_FILE),
      kept.map((chart) => this.#toOrderLine(chart)),
      chartEncoding,
    );
  }

  #toOrderLine({ file = '', symbol, period }: Chart): string {
    return this.#platform.name === 'mt5' ? file : `${symbol},${LONG_PERIODS[period] ?? period}`;
  }
}
