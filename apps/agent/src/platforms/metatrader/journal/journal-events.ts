/**
 * The journal's exact texts as events. The journal is the only evidence of what the terminal does: its exit code and
 * its window say less. Texts as seen on English terminals of many builds; parts that older builds lack are optional.
 */
import { cutText, isSingleLine } from '@berth/contract/values';
import { isFatal, type JournalLine } from './journal-line.ts';

/** An EA's place as written in the journal: `SYMBOL,PERIOD`. */
export interface ExpertPlace {
  name: string;
  symbol: string;
  period: string;
}

/** When the line was written, as `JournalLine` says it: what is in two files is compared by it. */
export interface Moment {
  at?: string | undefined;
}

export type JournalEvent =
  | { kind: 'started'; build: number }
  | { kind: 'config_rejected'; text: string }
  | { kind: 'authorized'; login: string; server: string; pingMs: number | null }
  | { kind: 'synchronized'; login: string; symbols: number | null }
  | { kind: 'authorization_failed'; login: string; server: string; reason: string }
  | { kind: 'no_connection'; login: string; server: string }
  | { kind: 'connection_lost'; login: string; server: string }
  | { kind: 'ping'; login: string; pingMs: number | null }
  /** The server accepted the account but sent no data. */
  | { kind: 'not_synchronized'; login: string }
  | { kind: 'password_expired'; login: string }
  | { kind: 'demo_opened'; login: string; server: string }
  | { kind: 'accounts_deleted' }
  | { kind: 'account_trading'; login: string; enabled: boolean; isInvestor: boolean }
  | ({ kind: 'expert_loaded' } & ExpertPlace & Moment)
  | ({ kind: 'expert_removed' } & ExpertPlace)
  | ({ kind: 'expert_failed'; reason: string; line: string } & ExpertPlace)
  /** An error ended a program, by the EAs' log; the program may be an indicator or a script. */
  | ({ kind: 'program_crashed'; line: string } & ExpertPlace & Moment)
  | { kind: 'algo_trading'; enabled: boolean; byAccountChange: boolean }
  | ({ kind: 'script_loaded' } & ExpertPlace)
  | ({ kind: 'script_removed' } & ExpertPlace)
  | { kind: 'update_announced' }
  | { kind: 'update_failed' }
  | { kind: 'shutdown' }
  /** No line: the terminal wrote more than is read, and these bytes were left out. */
  | { kind: 'skipped'; bytes: number }
  /** The same in the EAs' log. */
  | { kind: 'experts_log_skipped' };

type Reader = (groups: Record<string, string | undefined>, message: string) => JournalEvent;
/** A text and its meaning. */
export type EventReader = readonly [RegExp, Reader];

/** Long names that some builds use where others write the code. */
const LONG_PERIODS: Record<string, string> = { Daily: 'D1', Weekly: 'W1', Monthly: 'MN1', MN: 'MN1' };

/** All names that a journal may have for a period. */
export const listPeriodNames = (period: string): string[] => [
  period,
  ...Object.keys(LONG_PERIODS).filter((name) => LONG_PERIODS[name] === period),
];

export const toPlace = ({ name = '', symbol = '', period = '' }: Record<string, string | undefined>): ExpertPlace => ({
  name,
  symbol,
  period: LONG_PERIODS[period] ?? period,
});

export const toAccount = (groups: Record<string, string | undefined>) => ({
  login: groups.login ?? '',
  server: groups.server ?? '',
});

export const toPing = (text: string | undefined): number | null => (text === undefined ? null : Number(text));

/** The name of an EA without its folder, which MetaTrader 4 writes only when it loads the EA. */
export const withoutFolder = (name: string): string => name.replace(/^.*\\/, '');

const LOGIN = String.raw`^'(?<login>[^']+)': `;
/** A symbol may contain brackets: `(Volatility 75 (1s) Index,M1)`. */
const SYMBOL = String.raw`[^()]*(?:\([^()]*\)[^()]*)*`;
const PLACE = String.raw`(?<name>.+) \((?<symbol>${SYMBOL}),(?<period>[A-Za-z]+\d*)\)`;

/** The account is accepted, but cannot do anything until its owner has changed its password. */
export const passwordExpired: EventReader = [
  new RegExp(`${LOGIN}(?:master |main )?password must be changed`, 'i'),
  ({ login = '' }) => ({ kind: 'password_expired', login }),
];

const account: readonly EventReader[] = [
  [
    new RegExp(`${LOGIN}authorized on (?<server>.+?)(?: through .*?)?(?: \\(ping: (?<ping>[\\d.]+) ms.*)?$`),
    (groups) => ({ kind: 'authorized', ...toAccount(groups), pingMs: toPing(groups.ping) }),
  ],
  [
    new RegExp(`${LOGIN}authorization on (?<server>.+) failed \\((?<reason>[^()]*)\\)$`),
    (groups) => ({ kind: 'authorization_failed', ...toAccount(groups), reason: groups.reason ?? '' }),
  ],
  [
    new RegExp(`${LOGIN}no connection to (?<server>.+)$`),
    (groups) => ({ kind: 'no_connection', ...toAccount(groups) }),
  ],
  [
    new RegExp(`${LOGIN}(?:connection to (?<server>.+) lost|disconnected from (?<other>.+))$`),
    (groups) => ({ kind: 'connection_lost', ...toAccount({ ...groups, server: groups.server ?? groups.other }) }),
  ],
  [
    new RegExp(`${LOGIN}terminal synchronized with (?:.*?\\b(?<symbols>\\d{1,9}) symbols)?`),
    ({ login = '', symbols }) => ({ kind: 'synchronized', login, symbols: toPing(symbols) }),
  ],
  [
    new RegExp(`${LOGIN}ping to current access point .* is (?<ping>[\\d.]+) ms`),
    ({ login = '', ping }) => ({ kind: 'ping', login, pingMs: Number(ping) }),
  ],
  [new RegExp(`${LOGIN}synchronization timeout`), ({ login = '' }) => ({ kind: 'not_synchronized', login })],
  passwordExpired,
  [
    /^new demo account '(?<login>[^']+)' opened on (?<server>.+)$/,
    (groups) => ({ kind: 'demo_opened', ...toAccount(groups) }),
  ],
  [
    new RegExp(`${LOGIN}trading has been (?<state>enabled|disabled)(?:.* - (?<mode>.+))?$`),
    ({ login = '', state, mode }) => ({
      kind: 'account_trading',
      login,
      enabled: state === 'enabled',
      isInvestor: mode === 'investor mode',
    }),
  ],
  [/^Accounts deleted due security reason/, () => ({ kind: 'accounts_deleted' })],
];

const programs: readonly EventReader[] = [
  [new RegExp(`^expert ${PLACE} loaded success?fully$`), (groups) => ({ kind: 'expert_loaded', ...toPlace(groups) })],
  [new RegExp(`^expert ${PLACE} removed$`), (groups) => ({ kind: 'expert_removed', ...toPlace(groups) })],
  // "execution canceled" is not a failure: the EA was removed while it started, and `removed` follows.
  [
    new RegExp(`^(?:initializing of|loading of) ${PLACE} failed(?!.*\\(execution canceled\\)$)(?<reason>.*)$`),
    (groups, line) => ({ kind: 'expert_failed', ...toPlace(groups), reason: (groups.reason ?? '').trim(), line }),
  ],
  [new RegExp(`^script ${PLACE} loaded success?fully$`), (groups) => ({ kind: 'script_loaded', ...toPlace(groups) })],
  [new RegExp(`^script ${PLACE} removed$`), (groups) => ({ kind: 'script_removed', ...toPlace(groups) })],
  [
    /^automated trading is (?<state>enabled|disabled)(?<change> because the account has been changed)?/,
    ({ state, change }) => ({
      kind: 'algo_trading',
      enabled: state === 'enabled',
      byAccountChange: change !== undefined,
    }),
  ],
];

/** What every program of the family reports about itself. */
export const life: readonly EventReader[] = [
  [/\bbuild (?<build>\d+) started\b/, ({ build }) => ({ kind: 'started', build: Number(build) })],
  [
    /^(?:cannot load config|invalid configuration file|initialization failed|terminal process already started)/,
    (_groups, text) => ({ kind: 'config_rejected', text }),
  ],
  [/^(?:LiveUpdate: )?(?:new version .*is available|downloaded successfully)/i, () => ({ kind: 'update_announced' })],
  [/^start "[^"]*liveupdate[^"]*" [^/]*\/update/i, () => ({ kind: 'update_announced' })],
  [/^(?:download '[^']*' failed|failed to create copy )/, () => ({ kind: 'update_failed' })],
  // Builds to 2085 write `stopped` alone.
  [
    /^(?:(?:shutdown with|exit with code|stopped with) -?\d+|stopped$|terminal stopped due to)/,
    () => ({ kind: 'shutdown' }),
  ],
];

/**
 * Longer texts, and those with line breaks, are none of these. They are not matched at all: a text crafted for that
 * would keep the patterns busy for minutes.
 */
export const MAX_EVENT_CHARACTERS = 1_000;
/** Behind these words stands what a program had the terminal send or say: any text. */
const QUOTED = /^(?:Notifications?|Alert):/;

export const createEventFinder =
  (readers: readonly EventReader[]) =>
  ({
    message: text,
    source = '',
    at,
  }: Pick<JournalLine, 'message'> & Partial<JournalLine>): JournalEvent | undefined => {
    // Some builds have the subject in its own column: `Accounts` and `deleted due security reason`.
    const message = source === 'Accounts' && !text.startsWith(source) ? `${source} ${text}` : text;
    if (message.length > MAX_EVENT_CHARACTERS || !isSingleLine(message) || QUOTED.test(message)) return undefined;
    for (const [pattern, read] of readers) {
      const match = pattern.exec(message);
      if (!match) continue;
      const event = read(match.groups ?? {}, message);
      return event.kind === 'expert_loaded' && at !== undefined ? { ...event, at } : event;
    }
    return undefined;
  };

/** The meaning of a line of MetaTrader 5's journal; undefined for the many lines that change nothing here. */
export const findJournalEvent = createEventFinder([...account, ...programs, ...life]);

const PROGRAM = new RegExp(`^${PLACE}$`);

/** The meaning of a line of the EAs' log. */
export const findExpertEvent = (line: JournalLine): JournalEvent | undefined => {
  if (!isFatal(line, line.message)) return undefined;
  const groups = PROGRAM.exec(cutText(line.source, MAX_EVENT_CHARACTERS))?.groups;
  return groups && { kind: 'program_crashed', ...toPlace(groups), line: line.message, at: line.at };
};
