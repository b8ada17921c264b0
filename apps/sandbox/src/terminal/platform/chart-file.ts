import { toLines } from '../../files/text-file.ts';

/** A block of a chart file: `<name>`, lines of `key=value` and blocks inside it in their order, `</name>`. */
export interface Block {
  name: string;
  parts: (Block | Pair | string)[];
}

export interface Pair {
  key: string;
  value: string;
}

const MAX_DEPTH = 16;

const isBlock = (part: Block['parts'][number]): part is Block => typeof part === 'object' && 'parts' in part;
const isPair = (part: Block['parts'][number]): part is Pair => typeof part === 'object' && 'key' in part;

export const listBlocks = (block: Block, name: string): Block[] =>
  block.parts.filter(isBlock).filter((part) => part.name === name);

export const findBlock = (block: Block, name: string): Block | undefined => listBlocks(block, name)[0];

export const listPairs = (block: Block): Pair[] => block.parts.filter(isPair);

export const findValue = (block: Block, key: string): string | undefined =>
  listPairs(block).find((pair) => pair.key === key)?.value;

/** Sets a key in place; a new one goes to the end of the leading keys. */
export const setValue = (block: Block, key: string, value: string): void => {
  const found = listPairs(block).find((pair) => pair.key === key);
  if (found) found.value = value;
  else {
    const firstOther = block.parts.findIndex((part) => !isPair(part));
    block.parts.splice(firstOther < 0 ? block.parts.length : firstOther, 0, { key, value });
  }
};

export const removeBlocks = (block: Block, name: string): void => {
  block.parts = block.parts.filter((part) => !isBlock(part) || part.name !== name);
};

/** The `<chart>` block of a chart or template; undefined where the text holds none. Blocks left open end with the text. */
export const parseChartFile = (text: string): Block | undefined => {
  const root: Block = { name: '', parts: [] };
  const open = [root];
  for (const line of toLines(text).map((raw) => raw.trim())) {
    const tag = /^<(\/?)([A-Za-z_]\w*)>$/.exec(line);
    const current = open.at(-1) ?? root;
    const separator = line.indexOf('=');
    if (tag?.[1] === '/') {
      if (open.length > 1 && current.name === tag[2]) open.pop();
    } else if (tag?.[2] && open.length < MAX_DEPTH) {
      const block: Block = { name: tag[2], parts: [] };
      current.parts.push(block);
      open.push(block);
    } else if (separator > 0) current.parts.push({ key: line.slice(0, separator), value: line.slice(separator + 1) });
    else if (line !== '') current.parts.push(line);
  }
  return findBlock(root, 'chart');
};

export const toChartLines = ({ name, parts }: Block): string[] => [
  `<${name}>`,
  ...parts.flatMap((part) => {
    if (typeof part === 'string') return [part];
    return isBlock(part) ? toChartLines(part) : [`${part.key}=${part.value}`];
  }),
  `</${name}>`,
];
