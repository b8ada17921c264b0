import { existsSync, statSync } from 'node:fs';
import { ensureFolderOf, findInside } from '../../files/folder.ts';
import { findText, writeLines } from '../../files/text-file.ts';
import type { Journal } from '../journal.ts';
import { findValue, removeBlocks, toChartLines, type Block } from '../platform/chart-file.ts';
import { toMinutes } from '../platform/period.ts';
import type { Platform } from '../platform/platform.ts';
import { findExpert, listInputs, toCaption, type Chart } from './chart.ts';
import { parseExpertScript, type ExpertScript, type LifeAct } from './expert-script.ts';
import type { MarketWatch } from './market-watch.ts';
import { runSandboxExpert, type ExpertTrader } from './sandbox-expert.ts';

export interface ExpertsOptions {
  root: string;
  platform: Platform;
  journal: Journal;
  expertsJournal: Journal;
  marketWatch: MarketWatch;
  symbolTimeoutMs: number;
}

export interface RunningExpert {
  chart: Chart;
  name: string;
  block: Block;
  /** Waits for its chart's symbol until the first tick; then `bar` is the opening time of the last bar it saw. */
  bar: number | undefined;
  hasStarted: boolean;
  timeout: NodeJS.Timeout | undefined;
  /** What its file says, if it is a script of the sandbox; a text says why it cannot be read. */
  script: ExpertScript | string | undefined;
  loadedAt: number;
  /** An error of its code ended it. */
  hasFailed: boolean;
  ending: AbortController;
}

/** A longer line is truncated: inputs come from a file that may contain anything. */
const MAX_LINE = 4000;
/** A larger file is no script. */
const MAX_SCRIPT_BYTES = 64 * 1024;

const findScript = (file: string): ExpertScript | string | undefined => {
  if (statSync(file).size > MAX_SCRIPT_BYTES) return undefined;
  return parseExpertScript(findText(file) ?? '');
};

/**
 * The EAs on the charts. The sandbox cannot run their code: it loads them, prints their inputs and a line for each new
 * bar, and removes them from a chart whose symbol the server does not have, as a terminal does. One whose file is a
 * script of the sandbox trades by it.
 */
export class Experts {
  readonly #options: ExpertsOptions;
  readonly #running: RunningExpert[] = [];
  #trader: ExpertTrader | undefined;

  constructor(options: ExpertsOptions) {
    this.#options = options;
  }

  /** Through whom experts trade; before this they do not. */
  useTrader(trader: ExpertTrader): void {
    this.#trader = trader;
  }

  list(): readonly RunningExpert[] {
    return this.#running;
  }

  find(chart: Chart): RunningExpert | undefined {
    return this.#running.find((expert) => expert.chart === chart);
  }

  /** Loads a chart's EA. A missing program leaves no line in the journal: that is how a real terminal fails. */
  load(chart: Chart): void {
    const { root, platform, journal } = this.#options;
    const block = findExpert(chart);
    const file = block && findInside(root, platform.toExpertFile(block));
    if (!block || file === undefined || !existsSync(file)) return;
    const name = findValue(block, 'name') ?? '';
    const run = {
      script: findScript(file),
      loadedAt: performance.now(),
      hasFailed: false,
      ending: new AbortController(),
    };
    this.#running.push({ chart, name, block, bar: undefined, hasStarted: false, timeout: undefined, ...run });
    journal.print('Experts', platform.texts.expertLoaded(name, toCaption(chart)));
  }

  /** The server's symbols are known: EAs start, and those without a symbol start to wait for it. */
  startAll(): void {
    for (const expert of this.#running.filter(({ hasStarted }) => !hasStarted)) {
      if (this.#options.marketWatch.has(expert.chart.symbol)) this.#start(expert);
      else expert.timeout ??= setTimeout(() => this.#fail(expert), this.#options.symbolTimeoutMs);
    }
  }

  /** Without a connection symbols cannot be requested, so no EA waits. */
  pause(): void {
    for (const expert of this.#running) {
      clearTimeout(expert.timeout);
      expert.timeout = undefined;
    }
  }

  /** A tick of the server's clock: prints a line on every chart with a new bar. */
  takeTime(seconds: number): void {
    for (const expert of this.#running.filter(({ hasStarted, hasFailed }) => hasStarted && !hasFailed)) {
      const span = toMinutes(expert.chart.period) * 60;
      const bar = Math.floor(seconds / span) * span;
      if (expert.bar !== undefined && bar > expert.bar) this.#printBar(expert, bar);
      expert.bar = bar;
    }
  }

  /** Closes the charts with an EA; each is kept as a template. @returns how many there were */
  closeCharts(charts: Chart[]): number {
    const { root, platform } = this.#options;
    const running = this.#running.splice(0);
    for (const { chart, name, ending, timeout } of running) {
      clearTimeout(timeout);
      ending.abort();
      const file = `${platform.layout.templates}/Berth-${findValue(chart.block, 'id') ?? Date.now()}.tpl`;
      writeLines(ensureFolderOf(root, file), toChartLines(chart.block), platform.chartEncoding);
      charts.splice(charts.indexOf(chart), 1);
      this.#printRemoved(name, chart);
    }
    return running.length;
  }

  removeAll(): void {
    this.pause();
    for (const expert of this.#running.splice(0)) {
      const { name, chart, hasStarted, hasFailed } = expert;
      expert.ending.abort();
      if (hasStarted && !hasFailed)
        this.#printLines(expert, this.#options.platform.texts.programEnded(name, toCaption(chart)));
      this.#printRemoved(name, chart);
    }
  }

  #start(expert: RunningExpert): void {
    expert.hasStarted = true;
    const inputs = listInputs(expert.block).map(({ key, value }) => `${key}=${value}`);
    const { name, chart } = expert;
    this.#printLines(expert, this.#options.platform.texts.programStarted(name, toCaption(chart), inputs));
    this.#print(expert, 'loaded by the Berth sandbox, which does not run MQL code');
    this.#startScript(expert);
  }

  #startScript(expert: RunningExpert): void {
    const { script, block, loadedAt, ending } = expert;
    const trader = this.#trader;
    if (script === undefined || !trader) return;
    const print = (message: string): void => this.#print(expert, message);
    if (typeof script === 'string') return print(`this script of the sandbox cannot be read: ${script}`);
    const { platform } = this.#options;
    const live = (act: LifeAct): void => this.#live(expert, act);
    const run = { script, trader, mayTrade: platform.mayTrade(block), loadedAt, print, live, signal: ending.signal };
    void runSandboxExpert(run);
  }

  #live(expert: RunningExpert, act: LifeAct): void {
    const { platform, expertsJournal } = this.#options;
    const { name, chart } = expert;
    if (act.action === 'remove') return this.#remove(expert);
    const isError = act.action === 'fail';
    const place = toCaption(chart);
    const line = platform.texts.programLine(name, place, act.text).slice(0, MAX_LINE);
    const level = isError ? platform.texts.errorLevel : act.level;
    expertsJournal.print(platform.texts.programSource(name, place), line, level);
    // It stays on its chart, and nothing is said of it any more.
    if (isError) {
      expert.ending.abort();
      expert.hasFailed = true;
    }
  }

  /** Its chart has no expert any more. */
  #remove(expert: RunningExpert): void {
    expert.ending.abort();
    this.#running.splice(this.#running.indexOf(expert), 1);
    removeBlocks(expert.chart.block, 'expert');
    this.#printRemoved(expert.name, expert.chart);
  }

  #printBar(expert: RunningExpert, bar: number): void {
    const { marketWatch } = this.#options;
    const { symbol } = expert.chart;
    const opened = new Date(bar * 1000).toISOString().slice(0, 16).replaceAll('-', '.').replace('T', ' ');
    const bid = marketWatch.findQuote(symbol)?.bid.toFixed(marketWatch.getDigits(symbol)) ?? '-';
    this.#print(expert, `new bar ${opened}, bid ${bid}`);
  }

  #fail(expert: RunningExpert): void {
    const { platform, journal } = this.#options;
    const reason = 'symbol synchronization timeout';
    journal.print('Experts', platform.texts.expertFailed(expert.name, toCaption(expert.chart), reason), 2);
    this.#remove(expert);
  }

  #printRemoved(name: string, chart: Chart): void {
    const { platform, journal } = this.#options;
    journal.print('Experts', platform.texts.expertRemoved(name, toCaption(chart)));
  }

  #print(expert: RunningExpert, message: string): void {
    const { name, chart } = expert;
    this.#printLines(expert, [this.#options.platform.texts.programLine(name, toCaption(chart), message)]);
  }

  #printLines({ name, chart }: RunningExpert, lines: readonly string[]): void {
    const { platform, expertsJournal } = this.#options;
    const source = platform.texts.programSource(name, toCaption(chart));
    for (const line of lines) expertsJournal.print(source, line.slice(0, MAX_LINE));
  }
}
