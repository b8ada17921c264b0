/** A rule that looks at an account, time after time. */
import { RiskMarks, type GuardRule } from '@berth/contract/agent';
import {
  evaluateRule,
  type AccountNumbers,
  type GuardedAccount,
  type GuardInput,
  type GuardVerdict,
} from '../../src/index.ts';

export const account: GuardedAccount = { login: '5001', server: 'Harbour-Demo' };

export const toRule = (changes: Partial<GuardRule> & Pick<GuardRule, 'kind'>): GuardRule => ({
  ...{ id: 'rule', amount: null, percent: null, basis: 'balance', trail: 'equity', trail_stops_at: null },
  ...{ day_starts: '00:00', time_zone: 'UTC', warn_percent: 80, actions: ['close_all'], ...changes },
});

/** What is seen at a time: "balance/equity", and what else is not as usual. */
export type Look = readonly [time: string, money: string, changes?: Partial<AccountNumbers>];

export const toNumbers = (money: string, changes: Partial<AccountNumbers> = {}): AccountNumbers => {
  const [balance = '', equity = balance] = money.split('/');
  const { volumes = [] } = changes;
  const usual = { login: '5001', server: 'Harbour-Demo', balance, equity, isSynchronised: true, ageMs: 100 };
  return { ...usual, volumes, positions: volumes.length, ...changes };
};

export interface Watching {
  rule: GuardRule;
  account?: GuardedAccount;
  /** What happens to the marks between two looks, such as a restart. */
  between?: (marks: RiskMarks, index: number) => RiskMarks;
  /** What people do before a look: the rule from then on, what they have released, and let begin anew. */
  before?: (index: number) => Partial<Pick<GuardInput, 'rule' | 'released' | 'reset' | 'findRule'>>;
}

/** What the rule decides at each look. The id of a breach is the number of its look. */
export const listVerdicts = (
  { rule, account: guarded = account, between = (marks) => marks, before = () => ({}) }: Watching,
  looks: readonly Look[],
): GuardVerdict[] => {
  let marks: RiskMarks | undefined;
  return looks.map(([time, money, changes], index) => {
    const nowMs = Date.parse(time);
    const numbers = toNumbers(money, changes);
    const seen = { rule, account: guarded, numbers, marks, nowMs, breachId: `${index}` };
    const verdict = evaluateRule({ ...seen, ...before(index) });
    if (verdict.blind === undefined) marks = between(verdict.marks, index);
    return verdict;
  });
};

/** The same in words: "no", "breach value/limit", "touched" with what was used at most, or why it is blind. */
export const watch = (watching: Watching, looks: readonly Look[]): string[] =>
  listVerdicts(watching, looks).map((verdict) => {
    if (verdict.blind !== undefined) return verdict.blind;
    const touched = verdict.touched === undefined ? [] : [`touched ${verdict.touched}`];
    const breach = verdict.breach ? [`breach ${verdict.breach.value}/${verdict.breach.limit}`] : [];
    return [...touched, ...breach].join(', ') || 'no';
  });

/** All that the protocol between agents and the server has fields for. */
const FIELDS = [RiskMarks, RiskMarks.properties.days.items].flatMap(({ properties }) => Object.keys(properties));

/** The marks as they are after a restart of the agent, or on another host. */
export const restart = (marks: RiskMarks): RiskMarks => JSON.parse(JSON.stringify(marks, FIELDS)) as RiskMarks;
