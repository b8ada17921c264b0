import { toInteger, toNumber, toRecord, toText, toTexts } from './fields.ts';
import { toTradeMessage, type TradeAnswer, type TradeMessage } from './trade-messages.ts';

/** What a terminal and the trading server say to each other: one JSON object a line, over TCP. */

export interface DemoForm {
  server: string;
  name: string;
  email: string;
  balance: number;
  leverage: number;
  currency: string;
}

export type ClientMessage =
  | { type: 'ping'; id: number }
  | { type: 'login'; server: string; login: string; password: string }
  | ({ type: 'open_demo' } & DemoForm)
  | { type: 'watch'; symbols: string[] }
  | { type: 'history'; id: number; symbol: string; minutes: number; count: number }
  | TradeMessage;

/** Name, digits after the point, one line of description. */
export type SymbolInfo = [name: string, digits: number, description: string];
export type Tick = [symbol: string, bid: number, ask: number];
/** Opening time (Unix seconds), open, high, low, close. */
export type Candle = [time: number, open: number, high: number, low: number, close: number];

export interface Welcome {
  type: 'welcome';
  server: string;
  company: string;
  accessPoint: string;
  build: number;
  demo: boolean;
  investor: boolean;
  balance: number;
  currency: string;
  leverage: number;
  marginMode: 'hedging' | 'netting';
  positions: number;
  orders: number;
  /** The login before this one; time in Unix milliseconds. */
  previous: { address: string; at: number } | null;
  symbols: SymbolInfo[];
  /** Another account than the one that asked, which the server gave it instead. */
  allocated: string | null;
  /** The account is let in, and may do nothing before its password is changed. */
  mustChangePassword: boolean;
}

export type ServerMessage =
  | Welcome
  | { type: 'pong'; id: number }
  | { type: 'refused'; reason: string }
  | { type: 'unknown_server' }
  | { type: 'demo'; login: string; password: string }
  | { type: 'ticks'; time: number; ticks: Tick[] }
  | { type: 'history'; id: number; candles: Candle[] }
  | TradeAnswer;

export const MAX_CLIENT_LINE_BYTES = 16 * 1024;
export const MAX_SERVER_LINE_BYTES = 1024 * 1024;

const MAX_ID = Number.MAX_SAFE_INTEGER;
const MAX_NAME = 128;
const MINUTES_OF_MONTH = 43_200;

/** The form of a demo account, checked; undefined where a field is missing or out of bounds. */
export const toDemoForm = (fields: Record<string, unknown>): DemoForm | undefined => {
  const server = toText(fields.server, MAX_NAME);
  const name = toText(fields.name, MAX_NAME);
  const email = toText(fields.email, 255);
  const balance = toNumber(fields.balance ?? 10_000, 0, 1e9);
  const leverage = toInteger(fields.leverage ?? 100, 1, 10_000);
  const currency = toText(fields.currency ?? 'USD', 8);
  if (!server || !name || !email || balance === undefined || !leverage || !currency) return undefined;
  return { server, name, email, balance, leverage, currency };
};

const toLogin = (fields: Record<string, unknown>): ClientMessage | undefined => {
  const server = toText(fields.server, MAX_NAME);
  const login = toText(fields.login, 64);
  const password = toText(fields.password, MAX_NAME);
  return server && login && password ? { type: 'login', server, login, password } : undefined;
};

const toHistory = (fields: Record<string, unknown>): ClientMessage | undefined => {
  const id = toInteger(fields.id, 0, MAX_ID);
  const symbol = toText(fields.symbol, 64);
  const minutes = toInteger(fields.minutes, 1, MINUTES_OF_MONTH);
  const count = toInteger(fields.count, 1, 500);
  if (id === undefined || !symbol || !minutes || !count) return undefined;
  return { type: 'history', id, symbol, minutes, count };
};

/** A message of a terminal, or undefined for anything else. */
export const toClientMessage = (value: unknown): ClientMessage | undefined => {
  const fields = toRecord(value);
  switch (fields?.type) {
    case 'ping': {
      const id = toInteger(fields.id, 0, MAX_ID);
      return id === undefined ? undefined : { type: 'ping', id };
    }
    case 'login':
      return toLogin(fields);
    case 'open_demo': {
      const form = toDemoForm(fields);
      return form && { type: 'open_demo', ...form };
    }
    case 'watch': {
      const symbols = toTexts(fields.symbols, 256, 64);
      return symbols && { type: 'watch', symbols };
    }
    case 'history':
      return toHistory(fields);
    case 'follow_account':
    case 'trade':
    case 'deals':
      return toTradeMessage(fields);
    default:
      return undefined;
  }
};

const SERVER_MESSAGES = [
  'welcome',
  'pong',
  'refused',
  'unknown_server',
  'demo',
  'ticks',
  'history',
  'account',
  'traded',
  'deals',
];

/**
 * A message of a trading server. Only the kind is checked: a terminal trusts the server that it logs in to, and a
 * service that is no trading server fails at the first line.
 */
export const toServerMessage = (value: unknown): ServerMessage => {
  const fields = toRecord(value);
  if (typeof fields?.type !== 'string' || !SERVER_MESSAGES.includes(fields.type))
    throw new Error('not a trading server');
  return fields as unknown as ServerMessage;
};
