import { type Period, toInputText } from '@berth/contract/values';
import type { TextEncoding } from './text-file.ts';
import {
  addBlock,
  createBlock,
  findBlock,
  findValue,
  listPairs,
  removeValue,
  setValue,
  toBlockEnd,
  type ChartBlock,
} from './chart-text.ts';

/** An EA as described in a chart file. */
export interface ChartExpert {
  name: string;
  /** The program, relative to the folder of all programs, with backslashes: `Experts\Name.ex5`. */
  path: string;
  allowsAlgoTrading: boolean;
  allowsDll: boolean;
  inputs: Record<string, string>;
}

export interface Chart {
  /** The terminal's number for the chart, which stays the same whatever its file is called. */
  id: string | undefined;
  symbol: string;
  /** undefined where the file has an unknown period. */
  period: Period | undefined;
  expert: ChartExpert | undefined;
}

/** What is specific to one program of the family in the format of charts. */
export interface ChartForm {
  encoding: TextEncoding;
  /** Those that the program knows. */
  periods: readonly Period[];
  /** False where it is unknown how a chart allows an EA to call DLLs. */
  canAllowDll: boolean;
  /** Otherwise they are in the code page of the box; `encoding` is for ASCII where that is unknown. */
  isUnicode: boolean;
  expertsFirst: boolean;
  toExpertPath(name: string): string;
  /** The name that its charts have. @param name as tasks give it: it may have folders */
  toExpertName(name: string): string;
  findPeriod(chart: ChartBlock): Period | undefined;
  toPeriodLines(period: Period): string[];
  findExpert(block: ChartBlock, name: string): Omit<ChartExpert, 'name' | 'inputs'>;
  /** The keys of an EA and their values, except its inputs. @param former the block that it replaces */
  toExpertPairs(expert: ChartExpert, former: ChartBlock | undefined): [key: string, value: string][];
  /** The block of the chart's main window. */
  toWindow(): ChartBlock;
}

/** The bits of a key as the terminal wrote them. @param fallback where it wrote none, or not a number */
export const findFlags = (block: ChartBlock | undefined, key: string, fallback: number): number => {
  const text = block && findValue(block, key)?.trim();
  return text && /^\d{1,9}$/.test(text) ? Number(text) : fallback;
};

/** Lines that only separate inputs have no name, or this one. */
const UNNAMED = '<unnamed>';

const listInputs = (block: ChartBlock): [name: string, value: string][] =>
  listPairs(block).filter(([name]) => name !== UNNAMED);

const findExpert = (form: ChartForm, chart: ChartBlock): ChartExpert | undefined => {
  const block = findBlock(chart, 'expert');
  const name = block && findValue(block, 'name');
  if (!block || !name) return undefined;
  const inputs = findBlock(block, 'inputs');
  return { name, ...form.findExpert(block, name), inputs: inputs ? Object.fromEntries(listInputs(inputs)) : {} };
};

export const toChart = (form: ChartForm, block: ChartBlock): Chart => ({
  id: findValue(block, 'id'),
  symbol: findValue(block, 'symbol') ?? '',
  period: form.findPeriod(block),
  expert: findExpert(form, block),
});

const createExpertBlock = (form: ChartForm, expert: ChartExpert, end?: string): ChartBlock => {
  const inputs = Object.entries(expert.inputs).map(([name, value]) => `${name}=${value}`);
  const pairs = form.toExpertPairs(expert, undefined).map(([key, value]) => `${key}=${value}`);
  return createBlock('expert', [...pairs, createBlock('inputs', inputs, end)], end);
};

const setInputs = (expert: ChartBlock, wanted: ChartExpert['inputs']): void => {
  const inputs = findBlock(expert, 'inputs');
  if (!inputs) {
    const lines = Object.entries(wanted).map(([name, value]) => `${name}=${value}`);
    if (lines.length > 0) addBlock(expert, createBlock('inputs', lines, toBlockEnd(expert)), { isFirst: false });
    return;
  }
  for (const [name] of listInputs(inputs)) if (!Object.hasOwn(wanted, name)) removeValue(inputs, name);
  for (const [name, value] of Object.entries(wanted)) setValue(inputs, name, value);
};

/**
 * Puts the EA on the chart. If there is one already, only the lines that differ are changed: unknown content, such as
 * separators of inputs, stays.
 */
export const putExpert = (form: ChartForm, chart: ChartBlock, expert: ChartExpert): void => {
  const former = findBlock(chart, 'expert');
  if (!former) {
    addBlock(chart, createExpertBlock(form, expert, toBlockEnd(chart)), { isFirst: form.expertsFirst });
    return;
  }
  for (const [key, value] of form.toExpertPairs(expert, former)) setValue(former, key, value);
  setInputs(former, expert.inputs);
};

/** The smallest chart that the terminal loads; it fills in the rest when it saves. */
export const createChartBlock = (
  form: ChartForm,
  { id, symbol, period, expert }: { id: string; symbol: string; period: Period; expert: ChartExpert },
): ChartBlock => {
  const blocks = [createExpertBlock(form, expert), form.toWindow()];
  return createBlock('chart', [
    `id=${id}`,
    `symbol=${symbol}`,
    ...form.toPeriodLines(period),
    'windows_total=1',
    ...(form.expertsFirst ? blocks : blocks.reverse()),
  ]);
};

/** An expert's inputs as a task gives them. */
export type InputValues = Record<string, unknown>;

/** Inputs as chart files and presets write them: `Name=value`. */
export const toInputTexts = (inputs: InputValues): Record<string, string> =>
  Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, toInputText(value)]));
