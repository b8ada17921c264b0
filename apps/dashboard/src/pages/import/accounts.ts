/** Accounts in a text, line by line, and what is wrong with each. Pure. */
import type { NewTerminal } from '@berth/client';
import {
  isSameAccount,
  isSingleLine,
  MAX_CREATED_TERMINALS,
  MAX_EXTERNAL_ID_CHARACTERS,
  MAX_LOGIN_CHARACTERS,
  MAX_NAME_CHARACTERS,
  MAX_PASSWORD_CHARACTERS,
  MAX_SERVER_CHARACTERS,
  MAX_TAG_CHARACTERS,
  MAX_TAGS,
  platforms,
} from '@berth/contract/values';
import { pageTexts } from '../../texts/page-texts.ts';
import { findSeparator, toCells } from './csv.ts';

const words = pageTexts.imports;

/** A text is refused by its size before it is split, and by its lines before they are read. */
export const MAX_TEXT_CHARACTERS = 256 * 1024;
const MAX_LINE_CHARACTERS = 2_000;

/** In the order that is expected where no line names them. */
export const columns = [
  'name',
  'server',
  'login',
  'password',
  'region',
  'platform',
  'project',
  'tags',
  'external_id',
] as const;
export type Column = (typeof columns)[number];

/** What spreadsheets call them, in small letters without blanks and underscores. */
const aliases: Readonly<Record<string, Column>> = {
  terminal: 'name',
  servername: 'server',
  tradingserver: 'server',
  broker: 'server',
  account: 'login',
  accountnumber: 'login',
  tag: 'tags',
  externalid: 'external_id',
};

const toColumn = (cell: string): Column | undefined => {
  const plain = cell.toLowerCase().replaceAll(/[\s_-]/g, '');
  return columns.find((column) => column === plain) ?? (Object.hasOwn(aliases, plain) ? aliases[plain] : undefined);
};

/** What a line may choose from. */
export interface Choices {
  regions: readonly { id: number; label: string }[];
  projects: readonly { id: string; name: string }[];
}

export interface Account {
  /** The first line of the text is 1. */
  line: number;
  /** As it is in the text. */
  raw: string;
  item: NewTerminal;
  errors: string[];
}

export interface Accounts {
  /** The line that names the columns, as it is in the text. */
  header: string | undefined;
  accounts: Account[];
  /** Names of columns that are not read. */
  ignored: string[];
}

type Values = Partial<Record<Column, string>>;

const limits: readonly (readonly [column: Column, most: number])[] = [
  ['name', MAX_NAME_CHARACTERS],
  ['server', MAX_SERVER_CHARACTERS],
  ['login', MAX_LOGIN_CHARACTERS],
  ['password', MAX_PASSWORD_CHARACTERS],
  ['external_id', MAX_EXTERNAL_ID_CHARACTERS],
];

export const toPlatformName = (platform: string | undefined): string | undefined => {
  const known = platforms.find((one) => one === platform);
  return known && words.platforms[known];
};

const isSame = (one: string, other: string): boolean => one.trim().toLowerCase() === other.trim().toLowerCase();

const toItem = (values: Values, { regions, projects }: Choices): { item: NewTerminal; errors: string[] } => {
  const errors: string[] = [];
  /** What is chosen by name or id; undefined where nothing is. */
  const choose = <Choice>(
    column: Column,
    options: readonly Choice[],
    isMeant: (one: Choice, text: string) => boolean,
  ) => {
    const text = values[column];
    const found = text === undefined ? undefined : options.find((one) => isMeant(one, text));
    if (text !== undefined && found === undefined) errors.push(words.unknown(words.columns[column]));
    return found;
  };
  for (const column of ['server', 'login', 'password'] as const) {
    if (values[column] === undefined) errors.push(words.missing(words.columns[column]));
  }
  for (const [column, most] of limits) {
    const text = values[column] ?? '';
    if (text.length > most) errors.push(words.tooLong(words.columns[column], most));
    if (!isSingleLine(text)) errors.push(words.control(words.columns[column]));
  }
  const tags = (values.tags ?? '').split(/[|;,]/).map((tag) => tag.trim());
  const given = [...new Set(tags.filter((tag) => tag !== ''))];
  if (given.length > MAX_TAGS) errors.push(words.tooManyTags(MAX_TAGS));
  if (given.some((tag) => tag.length > MAX_TAG_CHARACTERS)) errors.push(words.tooLong(words.tag, MAX_TAG_CHARACTERS));
  const region = choose('region', regions, ({ id, label }, text) => String(id) === text || isSame(label, text));
  const project = choose('project', projects, ({ id, name }, text) => id === text.toLowerCase() || isSame(name, text));
  const platform = choose(
    'platform',
    platforms,
    (one, text) => isSame(one, text) || isSame(words.platforms[one], text),
  );
  const { login = '' } = values;
  if (platform !== undefined && platform !== 'sandbox' && !/^\d*$/.test(login)) errors.push(words.onlyDigits);
  const item = {
    server_name: values.server ?? '',
    login,
    password: values.password ?? '',
    ...(values.name === undefined ? {} : { name: values.name }),
    ...(region === undefined ? {} : { region: region.id }),
    ...(platform === undefined ? {} : { platform }),
    ...(project === undefined ? {} : { project_id: project.id }),
    ...(given.length === 0 ? {} : { tags: given }),
    ...(values.external_id === undefined ? {} : { external_id: values.external_id }),
  };
  return { item, errors };
};

/** A second line with the same account, or the same external id, is a mistake. */
const noteTwice = (accounts: readonly Account[]): void => {
  const byLogin = new Map<string, Account[]>();
  const byExternalId = new Map<string, number>();
  for (const account of accounts) {
    const { login, server_name: server, external_id: id } = account.item;
    const same = byLogin.get(login.replace(/^0+/, '')) ?? [];
    const first = same.find((other) =>
      isSameAccount({ login, server }, { ...other.item, server: other.item.server_name }),
    );
    if (first && login !== '') account.errors.push(words.sameAccount(first.line));
    byLogin.set(login.replace(/^0+/, ''), [...same, account]);
    if (typeof id !== 'string') continue;
    const line = byExternalId.get(id);
    if (line === undefined) byExternalId.set(id, account.line);
    else account.errors.push(words.sameExternalId(line));
  }
};

/** Why a text is not read at all; undefined where it is. Nothing of a large one is parsed. */
export const findTextError = (text: string): string | undefined => {
  if (text.length > MAX_TEXT_CHARACTERS) return words.tooLarge(MAX_CREATED_TERMINALS);
  let lines = 0;
  for (const { 0: line } of text.matchAll(/[^\r\n]+/g)) if (line.trim() !== '') lines += 1;
  // One of them may name the columns.
  return lines > MAX_CREATED_TERMINALS + 1 ? words.tooMany(MAX_CREATED_TERMINALS) : undefined;
};

/** The accounts of a text without `findTextError`. */
export const readAccounts = (text: string, choices: Choices): Accounts => {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .map((raw, index) => ({ raw, line: index + 1 }))
    .filter(({ raw }) => raw.trim() !== '');
  const separator = findSeparator(lines[0]?.raw.slice(0, MAX_LINE_CHARACTERS) ?? '');
  const titles = toCells(lines[0]?.raw.slice(0, MAX_LINE_CHARACTERS) ?? '', separator);
  const named = titles.map(toColumn);
  const hasHeader = named.includes('login') && named.filter((column) => column !== undefined).length > 1;
  const order: readonly (Column | undefined)[] = hasHeader ? named : columns;
  const accounts = lines.slice(hasHeader ? 1 : 0).map(({ raw, line }): Account => {
    const blank = { server_name: '', login: '', password: '' };
    if (raw.length > MAX_LINE_CHARACTERS) return { line, raw, item: blank, errors: [words.lineTooLong] };
    const cells = toCells(raw, separator);
    const values: Values = {};
    for (const [index, column] of order.entries()) {
      const cell = cells[index];
      if (column !== undefined && cell !== undefined && cell !== '') values[column] ??= cell;
    }
    const { item, errors } = toItem(values, choices);
    // A separator inside of a cell has moved all that follow it.
    const isMoved = cells.slice(order.length).some((cell) => cell !== '');
    return { line, raw, item, errors: isMoved ? [words.tooManyCells] : errors };
  });
  noteTwice(accounts);
  const ignored = hasHeader ? titles.filter((title, index) => title !== '' && named[index] === undefined) : [];
  return { header: hasHeader ? lines[0]?.raw : undefined, accounts, ignored };
};
