/**
 * A breach on its host: `acting → holding → ended`. It acts once, in the order of its actions. A rule that closes then holds
 * the account empty until the breach is over. What is kept on the disk says all of it, so that an agent goes on after a
 * crash at any moment.
 */
import type { ReportedBreach, RiskMarks } from '@berth/contract/agent';
import type { AccountName, RiskAction } from '@berth/contract/values';

/** A breach, with the actions that its rule had when it was decided. */
export interface GuardBreach {
  report: ReportedBreach;
  actions: RiskAction[];
  /** Whose it is; absent in records of agents of before. */
  account?: AccountName;
  /** It is old: nothing is done until numbers of now have shown the same. */
  isSuspended?: true;
  /** Algo trading was off, and is on for closing: it has to be switched off again. */
  isSwitchedOn?: true;
  /** Nothing is held any more: the rest is carried out, and it ends. */
  isOver?: true;
}

export const isHolding = ({ report }: GuardBreach): boolean => !report.has_ended && report.phase === 'holding';

/** Its actions are being carried out. */
export const isActing = ({ report, isSuspended }: GuardBreach): boolean =>
  !report.has_ended && report.phase !== 'holding' && isSuspended !== true;

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

/** Its numbers are old, and nothing shows the same now. */
export const giveUp = (breach: GuardBreach, nowMs: number): void => {
  const { report } = breach;
  delete breach.isSuspended;
  const isDone = (action: RiskAction) => report.actions.some((done) => done.action === action);
  for (const action of breach.actions.filter((each) => !isDone(each))) {
    noteAction(report, { action, message: 'The host was down for too long.', at: nowMs });
  }
  endBreach(breach);
};
