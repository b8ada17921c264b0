import { toInteger, toNumber, toRecord } from '../../wire/fields.ts';
import { toTradeRequest, type TradeRequest } from '../../wire/trade-messages.ts';

/** What a sandbox expert does at a time after its load. `close all` closes every position of the account. */
export interface ScriptAction {
  afterMs: number;
  act: TradeRequest | 'close all';
}

export interface ExpertScript {
  repeat: boolean;
  /** In the order of their times. */
  actions: ScriptAction[];
}

const MAX_ACTIONS = 1_000;
const MAX_SECONDS = 7 * 86_400;
const KINDS = ['open', 'place', 'set_price', 'close'];

const toAct = (fields: Record<string, unknown>): ScriptAction['act'] | undefined => {
  const [kind, ...others] = Object.keys(fields).filter((key) => key !== 'after_seconds');
  if (kind === undefined || others.length > 0 || !KINDS.includes(kind)) return undefined;
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
  if (wrong >= 0) return `actions[${wrong}] is none of open, place, set_price and close`;
  const sorted = (read as ScriptAction[]).sort((one, other) => one.afterMs - other.afterMs);
  return { repeat, actions: sorted };
};
