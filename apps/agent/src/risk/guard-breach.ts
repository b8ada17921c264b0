/**
 * A breach on its host: `acting → holding → ended`. It acts once, in the order of its actions. A rule that closes then holds
 * the account empty until the breach is over. What is kept on the disk says all of it, so that an agent goes on after a
 * crash at any moment.
 */
import type { GuardRule, ReportedBreach, RiskMarks } from '@berth/contract/agent';
import type { AccountName, RiskAction } from '@berth/contract/values';

/** A breach, with the actions that its rule had when it was decided: a later change of the rule changes nothing of it. */
export interface GuardBreach {
  report: ReportedBreach;
  actions: RiskAction[];
  /** The rule as it was then; absent in records of agents of before. */
  rule?: GuardRule;
  /** Whose it is; absent in records of agents of before. */
  account?: AccountName;
  /** It is old: nothing is done until numbers of now have shown the same. */
  isSuspended?: true;
  /** Algo trading was off, and is on for closing: it has to be switched off again. */
  isSwitchedOn?: true;
  /** Nothing is held any more: the rest is carried out, and it ends. */
  isOver?: true;
}

interface BeginBreach {
  id: string;
  value: string;
  limit: string;
  terminalId: string;
  account: AccountName;
  nowMs: number;
}
/** Decided now, and nothing is done yet. */
export const beginBreach = (
  rule: GuardRule,
  { id, value, limit, terminalId, account: { login, server }, nowMs }: BeginBreach,
): GuardBreach => {
  const about = { id, terminal_id: terminalId, rule_id: rule.id, decided_at: nowMs, value, limit };
  const version = rule.version === undefined ? {} : { rule_version: rule.version };
  const begun = { first_order_ms: null, closed: 0, total: 0, left_open: [], actions: [], has_ended: false };
  return {
    report: { ...about, ...version, ...begun, phase: 'acting' },
    actions: [...rule.actions],
    rule,
    account: { login, server },
  };
};

export const isHolding = ({ report }: GuardBreach): boolean => !report.has_ended && report.phase === 'holding';

/** Its actions are being carried out. */
export const isActing = ({ report, isSuspended }: GuardBreach): boolean =>
  !report.has_ended && report.phase !== 'holding' && isSuspended !== true;

/** People may end a breach while it closes what was opened: from then on that is theirs. */
export const hasLetGo = ({ report, isOver }: GuardBreach): boolean => report.has_ended || isOver === true;

/** Nothing more is done, except that algo trading that the breach switched on is switched off first. */
export const endBreach = (breach: GuardBreach): void => {
  const { report, actions, isSwitchedOn } = breach;
  if (isSwitchedOn && !breach.isOver) {
    breach.isOver = true;
    report.phase = 'acting';
    report.actions = report.actions.filter(({ action }) => action !== 'trading_off');
    if (!actions.includes('trading_off')) actions.push('trading_off');
    return;
  }
  report.phase = 'ended';
  report.has_ended = true;
};

/** After its actions: a rule that closes holds. */
export const holdBreach = (breach: GuardBreach): void => {
  if (breach.actions.includes('close_all') && !breach.isOver) breach.report.phase = 'holding';
  else endBreach(breach);
};

/** Notes what came of an action, in the place of what came of it before. */
export const noteAction = (
  { actions }: ReportedBreach,
  { action, message, at }: { action: RiskAction; message: string | null; at: number },
): void => {
  const done = { action, ok: message === null, at, message };
  const place = actions.findIndex((each) => each.action === action);
  if (place < 0) actions.push(done);
  else actions[place] = done;
};

export const forgetBreach = (marks: RiskMarks, id: string): void => {
  if (marks.breach_id === id) marks.breach_id = null;
  for (const day of marks.days) if (day.breach_id === id) day.breach_id = null;
};

/** As long after it was decided, or before, by a clock that was set since. */
const TOO_OLD = 'More than an hour lies between the decision and now, by the clock of the host.';

/** Its numbers are old, and nothing shows the same now. */
export const giveUp = (breach: GuardBreach, nowMs: number): void => {
  const { report } = breach;
  delete breach.isSuspended;
  const isDone = (action: RiskAction) => report.actions.some((done) => done.action === action);
  for (const action of breach.actions.filter((each) => !isDone(each))) {
    noteAction(report, { action, message: TOO_OLD, at: nowMs });
  }
  endBreach(breach);
};
