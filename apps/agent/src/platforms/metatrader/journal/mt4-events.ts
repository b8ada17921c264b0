/**
 * The texts of MetaTrader 4. Its journal does not name the server when a connection fails, writes places as
 * `SYMBOL,PERIOD:` and does not say what an account allows. Texts that no source documents (a lost connection, an EA that
 * does not start) are modelled on those it does; other wording would look like silence.
 */
import { cutText } from '@berth/contract/values';
import {
  createEventFinder,
  life,
  MAX_EVENT_CHARACTERS,
  passwordExpired,
  toAccount,
  toPing,
  toPlace,
  type EventReader,
  type JournalEvent,
} from './journal-events.ts';
import { isFatal, type JournalLine } from './journal-line.ts';

const LOGIN = String.raw`^'(?<login>[^']+)': `;
const PLACE = String.raw`(?<name>.+) (?<symbol>[^\s:]+),(?<period>[A-Za-z]+\d*)`;
/** For a person, where the journal does not name the server. */
const SOME_SERVER = 'the trading server';

const toRefusal = (groups: Record<string, string | undefined>) => ({
  kind: 'authorization_failed' as const,
  ...toAccount({ ...groups, server: SOME_SERVER }),
  reason: groups.reason ?? '',
});

const account: readonly EventReader[] = [
  [
    new RegExp(`${LOGIN}login on (?<server>.+?)(?: through .*?)?(?: \\(ping: (?<ping>[\\d.]+) ms.*)?$`),
    (groups) => ({ kind: 'authorized', ...toAccount(groups), pingMs: toPing(groups.ping) }),
  ],
  [new RegExp(`${LOGIN}(?:login|connect) failed \\[(?<reason>(?!No connection)[^\\[\\]]*)\\]$`), toRefusal],
  [new RegExp(`${LOGIN}(?<reason>invalid account|account disabled)$`, 'i'), toRefusal],
  [
    new RegExp(`${LOGIN}connect failed(?: \\[.*\\])?$`),
    (groups) => ({ kind: 'no_connection', ...toAccount({ ...groups, server: SOME_SERVER }) }),
  ],
  [
    new RegExp(`${LOGIN}(?:connection lost|disconnected)`),
    (groups) => ({ kind: 'connection_lost', ...toAccount({ ...groups, server: SOME_SERVER }) }),
  ],
  [
    new RegExp(`${LOGIN}ping to current access point .* is (?<ping>[\\d.]+) ms`),
    ({ login = '', ping }) => ({ kind: 'ping', login, pingMs: Number(ping) }),
  ],
  [new RegExp(`${LOGIN}ping failed`), ({ login = '' }) => ({ kind: 'ping', login, pingMs: null })],
  passwordExpired,
  [
    /^(?:Account: )?new demo account '(?<login>[^']+)' opened(?: on (?<server>.+))?$/,
    (groups) => ({ kind: 'demo_opened', ...toAccount(groups) }),
  ],
  [/^Accounts deleted due security reason/, () => ({ kind: 'accounts_deleted' })],
];

/** The program that replaces the terminal during an update writes to the same journal. */
const update: readonly EventReader[] = [
  [/^LiveUpdate: (?:admin )?updater - started for /, () => ({ kind: 'update_announced' })],
  [/\bbuild \d+ stopped\b/, () => ({ kind: 'shutdown' })],
];

const programs: readonly EventReader[] = [
  [new RegExp(`^Expert ${PLACE}: loaded success?fully$`), (groups) => ({ kind: 'expert_loaded', ...toPlace(groups) })],
  [new RegExp(`^Expert ${PLACE}: removed$`), (groups) => ({ kind: 'expert_removed', ...toPlace(groups) })],
  [
    new RegExp(`^Expert ${PLACE}: initialization failed(?<reason>.*)$`),
    (groups, line) => ({ kind: 'expert_failed', ...toPlace(groups), reason: (groups.reason ?? '').trim(), line }),
  ],
  [new RegExp(`^Script ${PLACE}: loaded success?fully$`), (groups) => ({ kind: 'script_loaded', ...toPlace(groups) })],
  [new RegExp(`^Script ${PLACE}: removed$`), (groups) => ({ kind: 'script_removed', ...toPlace(groups) })],
  [
    /^automated trading (?:is )?(?<state>enabled|disabled)(?<change> because the account has been changed)?/i,
    ({ state, change }) => ({
      kind: 'algo_trading',
      enabled: state?.toLowerCase() === 'enabled',
      byAccountChange: change !== undefined,
    }),
  ],
];

/** The meaning of a line of MetaTrader 4's journal; undefined for the many lines that change nothing here. */
export const findMt4Event = createEventFinder([...account, ...programs, ...update, ...life]);

const PROGRAM_LINE = new RegExp(`^${PLACE}: (?<text>.+)$`);

/** The meaning of a line of the EAs' log. */
export const findMt4ExpertEvent = (line: JournalLine): JournalEvent | undefined => {
  const { level, message, at } = line;
  const groups = level > 0 ? PROGRAM_LINE.exec(cutText(message, MAX_EVENT_CHARACTERS))?.groups : undefined;
  const text = groups?.text ?? '';
  return groups && isFatal(line, text) ? { kind: 'program_crashed', ...toPlace(groups), line: text, at } : undefined;
};
