/** What can be said of an address without looking its name up. */
import { isIP } from 'node:net';

export type RefusalReason =
  'not_a_url' | 'too_long' | 'not_http' | 'user_info' | 'port' | 'forbidden_address' | 'unresolvable';

export interface OutboundRefusal {
  reason: RefusalReason;
  /** One or two sentences for the user who gave the address. */
  message: string;
}

export interface Target {
  /** `https://hooks.example.com:8443`; calls of one origin share connections. */
  origin: string;
  /** `/hook?id=1` */
  path: string;
  /** Lower case, without a dot at its end; of an address without its brackets. */
  name: string;
  port: number;
  isTls: boolean;
}

const MAX_URL_LENGTH = 2_000;
const MIN_FREE_PORT = 1_024;
const MAX_PORT = 65_535;
const MAX_NAME_LENGTH = 253;

const messages: Record<Exclude<RefusalReason, 'unresolvable'>, string> = {
  not_a_url: 'This is not a web address. One looks like https://example.com/hook.',
  too_long: 'The address is longer than 2,000 characters.',
  not_http: 'The address must start with https:// or http://.',
  user_info: 'The address must not contain a user name or a password.',
  port: 'The port of the address must be 443, 80, or one from 1024 to 65535.',
  forbidden_address:
    'The address leads to a private or reserved network. Berth calls none, unless its operator allows it.',
};

export const toRefusal = (reason: keyof typeof messages): OutboundRefusal => ({ reason, message: messages[reason] });

const isLabel = (text: string): boolean => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(text);
const isName = (text: string): boolean => text.length <= MAX_NAME_LENGTH && text.split('.').every(isLabel);

/** 443 and 80 are for the web; what else is below 1024 is mail, remote shells and the like. */
const isPort = (port: number): boolean => port === 443 || port === 80 || (port >= MIN_FREE_PORT && port <= MAX_PORT);

/** Not by `URL.canParse`: of Node.js 20, once it is compiled, that refuses letters such as `ü`. */
const parse = (text: string): URL | undefined => {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
};

/**
 * Reads a URL as browsers do, and takes it apart. That turns each other way to write an address (`2130706433`, `0x7f.1`,
 * `０１２７.0.0.1`) into the usual one.
 */
export const readTarget = (text: string): Target | OutboundRefusal => {
  if (text.length > MAX_URL_LENGTH) return toRefusal('too_long');
  // A URL would lose blanks and line breaks silently.
  const url = /[\s\p{Cc}]/u.test(text) ? undefined : parse(text);
  if (!url) return toRefusal('not_a_url');
  const isTls = url.protocol === 'https:';
  if (!isTls && url.protocol !== 'http:') return toRefusal('not_http');
  if (url.username !== '' || url.password !== '') return toRefusal('user_info');
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  if (!isPort(port)) return toRefusal('port');
  const name = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname.replace(/\.$/, '');
  if (isIP(name) === 0 && !isName(name)) return toRefusal('not_a_url');
  return { origin: url.origin, path: url.pathname + url.search, name, port, isTls };
};
