/** Importing accounts. */
import { isolate } from '../isolate.ts';
import { terminals } from './terminals.ts';

const of = (count: number, one: string, many: string): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;

const lines = (count: number): string => of(count, 'line', 'lines');

export const imports = {
  title: 'Import accounts',
  lead: (most: number) =>
    `One account per line, separated by commas, semicolons or tabs, as copied from a spreadsheet. Up to ${most} at a time.`,
  order: 'Without a line that names the columns, their order is:',
  /** The columns, by the names that are recognised. */
  columns: {
    name: 'Name',
    server: 'Server',
    login: 'Login',
    password: 'Password',
    region: 'Region',
    platform: 'Platform',
    project: 'Project',
    tags: 'Tags',
    external_id: 'External ID',
  },
  platforms: terminals.create.platforms,
  tag: 'Each tag',
  text: 'Accounts',
  textNote: 'Server, login and password are required. Separate tags with |.',
  file: 'CSV file',
  missing: (column: string) => `${column} is missing.`,
  unknown: (column: string) => `${column} is unknown.`,
  tooLong: (column: string, most: number) => `${column} must not be longer than ${most} characters.`,
  control: (column: string) => `${column} contains control characters.`,
  onlyDigits: 'On MetaTrader, a login has only digits.',
  tooManyTags: (most: number) => `More than ${most} tags.`,
  tooManyCells: 'Too many columns. Put cells that contain the separator in quotation marks.',
  lineTooLong: 'This line is too long.',
  sameAccount: (line: number) => `Same account as line ${line}.`,
  sameExternalId: (line: number) => `Same external ID as line ${line}.`,
  tooLarge: (most: number) => `That is too large. Import up to ${most} accounts at a time.`,
  tooMany: (most: number) => `Too many lines. Import up to ${most} accounts at a time.`,
  unreadable: 'The file could not be read.',
  ignored: (names: readonly string[]) => `Columns that are not imported: ${names.map(isolate).join(', ')}.`,
  preview: 'Accounts to import',
  heads: { line: 'Line', account: 'Account', server: 'Server', place: 'Where', result: 'Result' },
  ready: 'OK',
  notChecked: 'Not checked yet',
  created: 'Created',
  known: 'Also create terminals for accounts that you already have',
  knownNote: 'Two terminals on one account trade twice.',
  summary: (right: number, wrong: number) =>
    wrong === 0 ? `${lines(right)} without errors.` : `${lines(right)} without errors, ${lines(wrong)} with errors.`,
  notChosen: (count: number) =>
    count === 1
      ? '1 of them is left out: you already have its account.'
      : `${count.toLocaleString()} of them are left out: you already have their accounts.`,
  leftOut: 'Lines with errors are left out. They stay in the text, to be corrected and imported afterwards.',
  check: (count: number) => (count === 0 ? 'Check' : `Check ${lines(count)}`),
  create: (count: number) => `Create ${of(count, 'terminal', 'terminals')}`,
  nothing: 'Enter at least one account without errors.',
  done: (count: number) => `${of(count, 'terminal', 'terminals')} created. They install and log in automatically.`,
  toTerminals: 'Show terminals',
};
