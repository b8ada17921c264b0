import { LINE_END, splitLines, toContent, toEnd, toLine, withContent } from './lines.ts';

/** A block of a chart file, every line with its line ending. */
export interface ChartBlock {
  tag: string;
  /** The line that opens it; for the chart of a file, including all text before that line. */
  open: string;
  /** Lines and inner blocks in order. */
  items: (ChartBlock | string)[];
  /** The line that closes it; for the chart of a file, including all text after that line. */
  close: string;
}

/** A terminal's own are four levels deep. */
const MAX_DEPTH = 32;

const isBlock = (item: ChartBlock | string): item is ChartBlock => typeof item !== 'string';

/** A block of our own. @param items lines without line endings, and blocks */
export const createBlock = (tag: string, items: readonly (ChartBlock | string)[], end = LINE_END): ChartBlock => ({
  tag,
  open: toLine(`<${tag}>`, end),
  items: items.map((item) => (isBlock(item) ? item : toLine(item, end))),
  close: toLine(`</${tag}>`, end),
});

const toItemText = (item: ChartBlock | string): string => (isBlock(item) ? toChartText(item) : item);

/** The text of a block: for the result of `findChartBlock` the whole file as it was, except for changes since. */
export const toChartText = ({ open, items, close }: ChartBlock): string =>
  open + items.map(toItemText).join('') + close;

/**
 * The `<chart>` block of a chart file; undefined where the text is not a chart (cut short by a crash, for example).
 * Unknown content is kept byte for byte.
 */
export const findChartBlock = (text: string): ChartBlock | undefined => {
  const root: ChartBlock = { tag: '', open: '', items: [], close: '' };
  const open = [root];
  for (const line of splitLines(text)) {
    const tag = /^\s*<(\/?)([A-Za-z_]\w*)>\s*$/.exec(toContent(line));
    const current = open.at(-1) ?? root;
    if (tag?.[1] === '/') {
      if (open.length === 1 || current.tag !== tag[2]) return undefined;
      current.close = line;
      open.pop();
    } else if (tag?.[2]) {
      if (open.length > MAX_DEPTH) return undefined;
      const block: ChartBlock = { tag: tag[2], open: line, items: [], close: '' };
      current.items.push(block);
      open.push(block);
    } else current.items.push(line);
  }
  const chart = findBlock(root, 'chart');
  if (open.length > 1 || !chart) return undefined;
  const at = root.items.indexOf(chart);
  const around = (items: ChartBlock['items']) => items.map(toItemText).join('');
  return {
    ...chart,
    open: around(root.items.slice(0, at)) + chart.open,
    close: chart.close + around(root.items.slice(at + 1)),
  };
};

export const findBlock = (parent: ChartBlock, tag: string): ChartBlock | undefined =>
  parent.items.find((item): item is ChartBlock => isBlock(item) && item.tag === tag);

const findPair = (item: ChartBlock | string): [key: string, value: string] | undefined => {
  const content = isBlock(item) ? '' : toContent(item);
  const separator = content.indexOf('=');
  return separator < 1 ? undefined : [content.slice(0, separator).trim(), content.slice(separator + 1)];
};

/** The block's own `key=value` lines in order, those of inner blocks excepted. */
export const listPairs = (block: ChartBlock): [key: string, value: string][] =>
  block.items.flatMap((item) => {
    const pair = findPair(item);
    return pair ? [pair] : [];
  });

export const findValue = (block: ChartBlock, key: string): string | undefined =>
  listPairs(block).find(([each]) => each === key)?.[1];

/** How the lines of a block end. */
export const toBlockEnd = ({ open }: ChartBlock): string => toEnd(open) || LINE_END;

/**
 * Sets the value of every line with the key; a new line goes after the block's first lines, before its inner blocks.
 */
export const setValue = (block: ChartBlock, key: string, value: string): void => {
  let isThere = false;
  for (const [at, item] of block.items.entries()) {
    const pair = findPair(item);
    if (isBlock(item) || pair?.[0] !== key) continue;
    isThere = true;
    if (pair[1] !== value) block.items[at] = withContent(item, item.slice(0, item.indexOf('=') + 1) + value);
  }
  if (isThere) return;
  const firstBlock = block.items.findIndex(isBlock);
  const line = toLine(`${key}=${value}`, toBlockEnd(block));
  block.items.splice(firstBlock < 0 ? block.items.length : firstBlock, 0, line);
};

/** Removes the lines with the key. */
export const removeValue = (block: ChartBlock, key: string): void => {
  block.items = block.items.filter((item) => findPair(item)?.[0] !== key);
};

/** Adds a block before all others, or at the end. */
export const addBlock = (parent: ChartBlock, block: ChartBlock, { isFirst }: { isFirst: boolean }): void => {
  const firstBlock = parent.items.findIndex(isBlock);
  parent.items.splice(firstBlock < 0 || !isFirst ? parent.items.length : firstBlock, 0, block);
};

/**
 * The lines of a chart other than those that a terminal is known to write: neither blank nor `key=value`, nor a
 * separator of inputs, which starts with `=`.
 */
export const listUnknownLines = (block: ChartBlock): string[] =>
  block.items.flatMap((item) => {
    if (isBlock(item)) return listUnknownLines(item);
    const content = toContent(item);
    return content.trim() === '' || content.includes('=') ? [] : [content];
  });
