import { toLines } from '../../files/text-file.ts';
import type { Candle } from '../../wire/protocol.ts';
import {
  findBlock,
  findValue,
  listPairs,
  parseChartFile,
  removeBlocks,
  setValue,
  type Block,
} from '../platform/chart-file.ts';
import type { Period } from '../platform/period.ts';
import type { Platform } from '../platform/platform.ts';

/** An open chart: its file's content in memory, from which the file is rewritten at a clean stop. */
export interface Chart {
  /** Its file in the profile; undefined for a chart of the StartUp section, which is not saved. */
  file: string | undefined;
  block: Block;
  symbol: string;
  period: Period;
  /** The last history sent by the server, oldest first. */
  candles: Candle[];
}

const newBlock = (symbol: string): Block => ({
  name: 'chart',
  parts: [
    { key: 'symbol', value: symbol },
    { key: 'windows_total', value: '1' },
    { name: 'window', parts: [{ key: 'height', value: '100.000000' }] },
  ],
});

/** The chart of a file's text, or undefined where it has no chart or no symbol. */
export const parseChart = (platform: Platform, file: string, text: string): Chart | undefined => {
  const block = parseChartFile(text);
  const symbol = block && findValue(block, 'symbol');
  return block && symbol ? { file, block, symbol, period: platform.readPeriod(block), candles: [] } : undefined;
};

export const createChart = (platform: Platform, symbol: string, period: Period): Chart => {
  const block = newBlock(symbol);
  platform.writePeriod(block, period);
  return { file: undefined, block, symbol, period, candles: [] };
};

/** `SYMBOL,PERIOD` as the journal writes it. */
export const toCaption = ({ symbol, period }: Chart): string => `${symbol},${period}`;

/** Applies a template: its content with this chart's symbol and period. */
export const applyTemplate = (platform: Platform, chart: Chart, text: string): void => {
  const template = parseChartFile(text);
  if (!template) return;
  chart.block = template;
  setValue(template, 'symbol', chart.symbol);
  platform.writePeriod(template, chart.period);
};

export const findExpert = (chart: Chart): Block | undefined => findBlock(chart.block, 'expert');

/** Puts an EA on the chart, replacing an existing one. The block goes before the first window. */
export const setExpert = (chart: Chart, expert: Block): void => {
  removeBlocks(chart.block, 'expert');
  const window = findBlock(chart.block, 'window');
  const at = window ? chart.block.parts.indexOf(window) : chart.block.parts.length;
  chart.block.parts.splice(at, 0, expert);
};

export const listInputs = (expert: Block): { key: string; value: string }[] => {
  const inputs = findBlock(expert, 'inputs');
  return inputs ? listPairs(inputs) : [];
};

/** Applies the values of a preset: `Name=value`; an optimisation range `||…` is not part of an input's value. */
export const applyPreset = (expert: Block, text: string): void => {
  const inputs = findBlock(expert, 'inputs');
  for (const line of inputs ? toLines(text) : []) {
    const match = /^\s*([^;=\s][^=]*?)\s*=(.*)$/.exec(line);
    if (inputs && match?.[1] !== undefined) setValue(inputs, match[1], match[2]?.split('||')[0]?.trim() ?? '');
  }
};
