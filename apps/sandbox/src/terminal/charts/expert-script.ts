import { toInteger, toNumber, toRecord } from '../../wire/fields.ts';
import type { Level } from '../journal.ts';
import { toMoneyText, toTradeRequest, type TradeRequest } from '../../wire/trade-messages.ts';

/**
 * What an expert says and how it ends. `print`: a line of its log, of level 1 and 2 in the terminal's voice; `fail`: an
 * error of its code, after which it stays on its chart and never runs again; `remove`: it removes itself.
 */
export type LifeAct =
  { action: 'print'; text: string; level: Level } | { action: 'fail'; text: string } | { action: 'remove' };

/** What a sandbox expert does at a time after its load. `close all` closes every position of the account. */
export interface ScriptAction {
  afterMs: number;
  act: TradeRequest | 'close all' | LifeAct;
}

export interface ExpertScript {
  repeat: boolean;
  /** In the order of their times. */
  actions: ScriptAction[];
}

const MAX_ACTIONS = 1_000;
const MAX_SECONDS = 7 * 86_400;
const KINDS = ['open', 'place', 'set_price', 'close'];
const MONEY_KINDS = ['deposit', 'withdraw', 'credit'];
const LIFE_KINDS = ['print', 'fail', 'remove'];

const toLifeAct = ({ print, fail, remove }: Record<string, unknown>): LifeAct | undefined => {
  if (remove === true) return { action: 'remove' };
  if (typeof fail === 'string') return { action: 'fail', text: fail };
  const line = toRecord(print);
  const level = toInteger(line?.level ?? 0, 0, 2);
  return typeof line?.text === 'string' && level !== undefined
    ? { action: 'print', text: line.text, level: level as Level }
    : undefined;
};

/** What comes or goes is a positive amount; credit is taken back by a negative one. */
const toMoneyMove = (kind: string, value: unknown): TradeRequest | undefined => {
  const amount = toMoneyText(value);
  if (amount === undefined || (kind !== 'credit' && amount.startsWith('-'))) return undefined;
  const side = kind === 'credit' ? 'credit' : 'balance';
  return { action: 'move_money', side, amount: kind === 'withdraw' ? `-${amount}` : amount };
};

const toAct = (fields: Record<string, unknown>): ScriptAction['act'] | undefined => {
  const [kind, ...others] = Object.keys(fields).filter((key) => key !== 'after_seconds');
  if (kind === undefined || others.length > 0) return undefined;
  if (LIFE_KINDS.includes(kind)) return toLifeAct(fields);
  if (MONEY_KINDS.includes(kind)) return toMoneyMove(kind, fields[kind]);
  if (!KINDS.includes(kind)) return undefined;
  if (kind === 'close') return fields.close === 'all' ? 'close all' : undefined;
  const terms = toRecord(fields[kind]);
  return terms && toTradeRequest({ ...terms, action: kind });
};

const toAction = (value: unknown): ScriptAction | undefined => {
  const fields = toRecord(value);
  const seconds = toNumber(fields?.after_seconds, 0, MAX_SECONDS);
  const act = fields && toAct(fields);
  return seconds !== undefined && act ? { afterMs: seconds * 1000, act } : undefined;
};

/**
 * The script in an expert's file: undefined where the file is any other one, a text where it is a script that cannot be
 * read, and why. Pure.
 */
export const parseExpertScript = (text: string): ExpertScript | string | undefined => {
  let fields: Record<string, unknown> | undefined;
  try {
    fields = toRecord(JSON.parse(text));
  } catch {
    return undefined;
  }
  if (fields?.sandbox_expert === undefined) return undefined;
  if (toInteger(fields.sandbox_expert, 1, 1) === undefined) return 'sandbox_expert must be 1';
  const { repeat = false, actions } = fields;
  if (typeof repeat !== 'boolean') return 'repeat must be true or false';
  if (!Array.isArray(actions) || actions.length > MAX_ACTIONS) return `actions must be a list of up to ${MAX_ACTIONS}`;
  const read = actions.map(toAction);
  const wrong = read.indexOf(undefined);
  if (wrong >= 0) return `actions[${wrong}] is none of ${[...KINDS, ...MONEY_KINDS, ...LIFE_KINDS].join(', ')}`;
  const sorted = (read as ScriptAction[]).sort((one, other) => one.afterMs - other.afterMs);
  return { repeat, actions: sorted };
};
