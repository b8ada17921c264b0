/** The columns of the list that a person can choose, in their order. */
import { keepChoice } from '../../data/kept-choice.ts';
import { pageTexts } from '../../texts/page-texts.ts';

export const columnNames = [
  'screenshot',
  'server',
  'region',
  'equity',
  'today',
  'drawdown',
  'profit',
  'positions',
  'balance',
  'ping',
  'day',
  'trading',
  'memory',
] as const;
export type ColumnName = (typeof columnNames)[number];

export type MoneyColumn = Extract<ColumnName, 'equity' | 'today' | 'drawdown' | 'profit' | 'positions' | 'balance'>;

/** How a column is aligned, and from which width of the window on the usual columns have room for it. */
export const columnClasses: Partial<Record<ColumnName, string>> = {
  server: 'col-server from-full',
  equity: 'num col-equity',
  today: 'num from-wide',
  drawdown: 'num from-large',
  profit: 'num',
  positions: 'num from-broad',
  balance: 'num',
  ping: 'num from-mid',
  trading: 'col-trading',
  memory: 'num',
};

/** In pixels: a column keeps its width whatever it shows. */
export const columnWidths: Record<ColumnName, number> = {
  screenshot: 82,
  server: 170,
  region: 140,
  equity: 140,
  today: 100,
  drawdown: 92,
  profit: 110,
  positions: 86,
  balance: 124,
  ping: 118,
  day: 120,
  trading: 112,
  memory: 88,
};

/** Of what is always there: the box, the name and the status. */
const FIXED_PX = 38 + 170 + 210;

/** What columns that somebody chose take at least. */
export const toMinWidth = (columns: readonly ColumnName[]): number =>
  columns.reduce((sum, name) => sum + columnWidths[name], FIXED_PX);

/** Where it is in the card of a phone. */
export const cardPlaces: Record<ColumnName, string | undefined> = {
  screenshot: 'screenshot',
  server: 'below',
  region: undefined,
  equity: 'equity',
  today: 'today',
  drawdown: undefined,
  profit: undefined,
  positions: undefined,
  balance: undefined,
  ping: 'ping',
  day: 'day',
  trading: 'trading',
  memory: undefined,
};

/** What a card says beside a word that says nothing by itself. */
export const cardLabels: Partial<Record<ColumnName, string>> = {
  trading: pageTexts.terminals.columns.trading,
  equity: pageTexts.terminals.columns.equity,
  today: pageTexts.terminals.columns.today,
  ping: pageTexts.terminals.columns.ping,
};

const usual: readonly ColumnName[] = [
  'screenshot',
  'server',
  'equity',
  'today',
  'drawdown',
  'positions',
  'ping',
  'trading',
];

/** What is kept, without what is no column (any more). */
export const toColumns = (text: string | undefined): readonly ColumnName[] =>
  text === undefined ? usual : columnNames.filter((name) => text.split(',').includes(name));

const chosen = keepChoice<readonly ColumnName[]>('berth-terminal-columns', {
  parse: toColumns,
  format: (names) => names.join(),
});

export const useColumns = chosen.use;

export const switchColumn = (name: ColumnName, isShown: boolean): void =>
  chosen.set(columnNames.filter((one) => (one === name ? isShown : chosen.get().includes(one))));

/** For what is kept elsewhere: null for the usual ones, which nobody chose. */
export const toChosen = (columns: readonly ColumnName[]): readonly ColumnName[] | null =>
  columns === usual ? null : columns;

/** Whatever is no column (any more) is left out. */
export const chooseColumns = (names: readonly string[] | null): void =>
  chosen.set(names === null ? undefined : toColumns(names.join()));

export const resetColumns = (): void => chosen.set(undefined);

const money: ReadonlySet<ColumnName> = new Set(['equity', 'today', 'drawdown', 'profit', 'positions', 'balance']);
export const isMoney = (column: ColumnName): column is MoneyColumn => money.has(column);

/** What the terminals on the page have. */
export interface Contents {
  hasScreenshots: boolean;
  hasAccounts: boolean;
}

/** The columns that are shown. Of the usual ones, which nobody chose, those that would be empty are left out. */
export const toShown = (columns: readonly ColumnName[], { hasScreenshots, hasAccounts }: Contents) => ({
  isUsual: columns === usual,
  columns: columns.filter(
    (name) => columns !== usual || ((name !== 'screenshot' || hasScreenshots) && (!isMoney(name) || hasAccounts)),
  ),
});
