/** What pages say; their blocks of code, and the marks that say how the suite carries them out. */
import { listTrackedFiles, readText } from './repository.ts';

export interface PageBlock {
  page: string;
  /** Line of the fence. */
  line: number;
  language: string;
  text: string;
  /** What the comment right before it says; '' where there is none. */
  mark: string;
}

const BLOCK = /^( *)(?:<!-- ([^>]*) -->\n\n\1)?```(\w+)\n([^]*?)^\1```$/gm;

/** The text of a page, without its code, its comments and the addresses of its links; inline code becomes `code`. */
export const toProse = (markdown: string): string =>
  markdown
    .replace(/^ *```[^]*?^ *```/gm, '')
    .replace(/<!--[^]*?-->/g, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/`[^`]*`/g, 'code');

export const readBlocks = (page: string): PageBlock[] => {
  const source = readText(page);
  return [...source.matchAll(BLOCK)].map((match) => {
    const [all, , mark = '', language = '', text = ''] = match;
    const fence = match.index + all.indexOf('```');
    return { page, line: source.slice(0, fence).split('\n').length, language, text, mark };
  });
};

/** The pages whose commands a reader types. */
export const listPagesToFollow = (): string[] =>
  listTrackedFiles().filter((path) =>
    /^(README|docs\/(quickstart|operating|hosts)|docs\/guides\/[\w-]+)\.md$/.test(path),
  );

/** `run: guide, until "event: ready"` → who runs it, and the text that ends one that keeps running. */
export const readRun = ({ mark }: PageBlock): { by: string; until: string | undefined } | undefined => {
  const [found, by = '', until] = /^run: (\w+)(?:, until "([^"]+)")?$/.exec(mark) ?? [];
  return found === undefined ? undefined : { by, until };
};
