import type { Chart } from './charts.ts';
import { insertLines, splitLines, toContent } from './lines.ts';
import { toCaption } from './period.ts';

export const ORDER_FILE = 'order.wnd';

/** What a line of the order file may refer to. */
export type OrderedChart = Pick<Chart, 'symbol' | 'period'> & { file: string };

/** How one program of the family says which charts a profile has, and in which order. */
export interface OrderForm {
  /** The files of a profile's charts. @param listNames of all files of its folder that are charts, sorted */
  listFiles(order: OrderText, listNames: () => Promise<string[]>): Promise<string[]>;
  toOrderLine(chart: OrderedChart): string;
}

export const isChartFile = (name: string): boolean => /^[^\\/]+\.chr$/i.test(name);

/** `order.wnd`, edited in place: other lines stay as they are, byte for byte. */
export class OrderText {
  readonly #lines: string[];

  constructor(text: string) {
    this.#lines = splitLines(text);
  }

  /** Without blank lines. */
  list(): string[] {
    return this.#lines.map((line) => line.trim()).filter((line) => line !== '');
  }

  add(line: string): void {
    insertLines(this.#lines, this.#lines.length, [line]);
  }

  /** Removes one line of the chart. */
  remove(chart: OrderedChart): void {
    const at = this.#lines.findIndex((line) => isLineOf(toContent(line).trim(), chart));
    if (at >= 0) this.#lines.splice(at, 1);
  }

  toString(): string {
    return this.#lines.join('');
  }
}

const isLineOf = (line: string, chart: OrderedChart): boolean =>
  line.toLowerCase() === chart.file.toLowerCase() || line === toCaption(chart);

/**
 * Sorts charts by the lines, each of which refers to one of them; those without a line come last, in their given order.
 * @returns also the lines that refer to no chart
 */
export const sortCharts = <Ordered extends OrderedChart>(
  charts: readonly Ordered[],
  lines: readonly string[],
): { charts: Ordered[]; unknown: string[] } => {
  const left = [...charts];
  const sorted: Ordered[] = [];
  const unknown: string[] = [];
  for (const line of lines) {
    const at = left.findIndex((chart) => isLineOf(line, chart));
    if (at < 0) unknown.push(line);
    else sorted.push(...left.splice(at, 1));
  }
  return { charts: [...sorted, ...left], unknown };
};

/** MetaTrader 5 lists the files of the charts; others in the folder are leftovers. */
export const mt5Order: OrderForm = {
  listFiles: async (order) => {
    const names = new Map(order.list().map((name) => [name.toLowerCase(), name]));
    return [...names.values()].filter(isChartFile);
  },
  toOrderLine: ({ file }) => file,
};

/**
 * MetaTrader 4 lists captions, `EURUSD,H1`, which need not be unique: they are an order only. Every chart file in the
 * folder counts. Whether the terminal opens those without a caption is unknown, so none is overwritten, and EAs are
 * looked up on all.
 */
export const mt4Order: OrderForm = {
  listFiles: (_order, listNames) => listNames(),
  toOrderLine: toCaption,
};
