import { hang, paint, toPlainText, wrap, type Page, type Style } from '@berth/command';
import type { Finding } from './finding.ts';
import type { PossibleOffer } from './offers.ts';

const styles: Record<Finding['level'], Style> = { ok: 'green', note: 'yellow', problem: 'red' };
const MARGIN = 2;
const LEVEL_WIDTH = 'problem'.length + MARGIN;

const toFindingLines = (page: Page, { level, title, seen, advice }: Finding, titleWidth: number): string[] => {
  const margin = ' '.repeat(MARGIN);
  const head = `${margin}${level.padEnd(LEVEL_WIDTH)}${title.padEnd(titleWidth)}`;
  const [first = '', ...rest] = hang(head, toPlainText(seen), page.width);
  // The level is coloured after the text was wrapped, so that its escape codes do not count as columns.
  const painted = `${margin}${paint(page, styles[level], level)}${first.slice(MARGIN + level.length)}`;
  const indent = ' '.repeat(head.length);
  return [painted, ...rest, ...(advice === undefined ? [] : hang(`${indent}→ `, advice, page.width))];
};

const names = { mt5: 'MetaTrader 5', mt4: 'MetaTrader 4' } as const;

const toIsolationText = ({ isolation, own }: PossibleOffer): string => {
  if (isolation === 'none') return 'NOT isolated from the host and from each other';
  const own_ = own.map((what) => `${what === 'user' ? 'a user' : 'limits'}`).join(' and ');
  return own.length === 0 ? 'fully isolated' : `fully isolated, each with ${own_} of its own`;
};

/** Which platforms, at which isolation, for how many terminals: the last line. Pure. */
export const toVerdict = (offers: readonly PossibleOffer[]): string => {
  const possible = offers.filter(({ isOffered }) => isOffered);
  const [first] = possible;
  const refused = offers
    .filter(({ isOffered }) => !isOffered)
    .map(({ platform, obstacles }) => `It cannot offer ${names[platform]} (see ${obstacles.join(', ')}).`);
  if (!first) return ['This host can offer no real terminals yet.', ...refused].join(' ');
  const platforms = possible.map(({ platform }) => names[platform]).join(' and ');
  const count = first.terminals === 1 ? 'one terminal' : `${first.terminals} terminals`;
  return [`This host can offer ${platforms} under Wine, for ${count}, ${toIsolationText(first)}.`, ...refused].join(
    ' ',
  );
};

/** The output for people. Pure. */
export const toDoctorText = (page: Page, findings: readonly Finding[], offers: readonly PossibleOffer[]): string => {
  const titleWidth = Math.max(...findings.map(({ title }) => title.length)) + MARGIN;
  const packages = [...new Set(findings.flatMap((finding) => finding.packages ?? []))];
  const install =
    packages.length === 0
      ? []
      : ['', ...wrap(`To install what is missing, as root: apt install ${packages.join(' ')}`, page.width)];
  const lines = [
    ...findings.flatMap((finding) => toFindingLines(page, finding, titleWidth)),
    ...install,
    '',
    ...wrap(toVerdict(offers), page.width).map((line) => paint(page, 'bold', line)),
  ];
  return `${lines.join('\n')}\n`;
};
