/**
 * `config/services.ini` of MetaTrader 5: the services that start with the terminal. Blocks of lines, as in charts. The
 * terminal rewrites it; everything but our own block comes back byte for byte.
 */
import { insertLines, splitLines, toContent, withContent } from '../files/lines.ts';

/** Trading is allowed to the program. The numbers are those of charts; nobody has tried them on services. */
const EXPERT_MODE = 33;

interface Block {
  from: number;
  /** The line of its end. */
  to: number;
}

const toName = (line: string): string => toContent(line).trim().toLowerCase();

/** The blocks of services; one without an end is left out. */
const listBlocks = (lines: readonly string[]): Block[] => {
  const blocks: Block[] = [];
  let from: number | undefined;
  for (const [at, line] of lines.entries()) {
    if (toName(line) === '<service>') from = at;
    if (toName(line) !== '</service>' || from === undefined) continue;
    blocks.push({ from, to: at });
    from = undefined;
  }
  return blocks;
};

const findKey = (lines: readonly string[], { from, to }: Block, key: string): number => {
  for (let at = from + 1; at < to; at += 1) {
    const line = toName(lines[at] ?? '');
    // What the program's inputs are called is none of our business.
    if (line === '<inputs>') return -1;
    if (line.startsWith(`${key}=`)) return at;
  }
  return -1;
};

/** The file with the service in it, and enabled. Pure. */
export const toServicesText = (text: string, service: { name: string; path: string }): string => {
  const lines = splitLines(text);
  const path = `path=${service.path}`.toLowerCase();
  const block = listBlocks(lines).find((each) => toName(lines[findKey(lines, each, 'path')] ?? '') === path);
  if (!block) {
    const body = [`name=${service.name}`, `path=${service.path}`, `expertmode=${EXPERT_MODE}`, 'enabled=1'];
    insertLines(lines, lines.length, ['<service>', ...body, '<inputs>', '</inputs>', '</service>']);
    return lines.join('');
  }
  const at = findKey(lines, block, 'enabled');
  if (at < 0) insertLines(lines, block.from + 1, ['enabled=1']);
  else lines[at] = withContent(lines[at] ?? '', 'enabled=1');
  return lines.join('');
};
