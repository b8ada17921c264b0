import { fromLines, toLines } from './text-file.ts';

/** A block of a chart file: `<tag>`, its lines and inner blocks in order, `</tag>`. */
export interface ChartBlock {
  tag: string;
  items: (ChartBlock | string)[];
}

/** A terminal's own go four deep. */
const MAX_DEPTH = 32;

const isBlock = (item: ChartBlock | string): item is ChartBlock => typeof item !== 'string';

/**
 * The `<chart>` block of a chart file; undefined where the text is no chart (cut short by a crash, for example).
 * What this program does not know is kept line by line, so that writing a chart back loses nothing.
 */
export const findChartBlock = (text: string): ChartBlock | undefined => {
  const root: ChartBlock = { tag: '', items: [] };
  const open = [root];
  for (const line of toLines(text)) {
    const tag = /^\s*<(\/?)([A-Za-z_]\w*)>\s*$/.exec(line);
    const current = open.at(-1) ?? root;
    if (tag?.[1] === '/') {
      if (open.length === 1 || current.tag !== tag[2]) return undefined;
      open.pop();
    } else if (tag?.[2]) {
      if (open.length > MAX_DEPTH) return undefined;
      const block: ChartBlock = { tag: tag[2], items: [] };
      current.items.push(block);
      open.push(block);
    } else if (line !== '') current.items.push(line);
  }
  return open.length === 1 ? findBlock(root, 'chart') : undefined;
};

const toBlockLines = ({ tag, items }: ChartBlock): string[] => [
  `<${tag}>`,
  ...items.flatMap((item) => (isBlock(item) ? toBlockLines(item) : [item])),
  `</${tag}>`,
];

export const toChartText = (chart: ChartBlock): string => fromLines(toBlockLines(chart));

export const findBlock = (parent: ChartBlock, tag: string): ChartBlock | undefined =>
  parent.items.find((item): item is ChartBlock => isBlock(item) && item.tag === tag);

/** The block's own `key=value` lines in order, those of inner blocks excepted. */
export const listPairs = (block: ChartBlock): [key: string, value: string][] =>
  block.items.flatMap((item) => {
    const separator = isBlock(item) ? -1 : item.indexOf('=');
    return isBlock(item) || separator < 1
      ? []
      : [[item.slice(0, separator).trim(), item.slice(separator + 1)] satisfies [string, string]];
  });

export const findValue = (block: ChartBlock, key: string): string | undefined =>
  listPairs(block).find(([each]) => each === key)?.[1];

/** Puts a block in the place of the one of the same tag; a new one goes before all other blocks, or behind them. */
export const putBlock = (parent: ChartBlock, block: ChartBlock, { isFirst }: { isFirst: boolean }): void => {
  const at = parent.items.findIndex((item) => isBlock(item) && item.tag === block.tag);
  const firstBlock = parent.items.findIndex(isBlock);
  if (at >= 0) parent.items[at] = block;
  else parent.items.splice(firstBlock < 0 || !isFirst ? parent.items.length : firstBlock, 0, block);
};
