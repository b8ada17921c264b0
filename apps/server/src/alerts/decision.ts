/**
 * What becomes of the alerts of one rule, given what is wrong now. Pure: the same facts lead to the same alerts, whichever
 * server looks, and however often.
 *
 * A subject is a terminal for which the rule's condition holds. It stays one until the condition has not held for a while,
 * so that what goes up and down is one incident. An alert has the subjects that began together, and lasts until it has
 * none any more.
 */
import { MAX_RULE_ALERTS_PER_HOUR, momentaryConditions, type AlertRule } from '@berth/contract';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** How long something has to be right before it counts as over; twice as long after each time that it was not for good. */
const SETTLED = { leastMs: 15_000, mostMs: 300_000, limitMs: 1_800_000 };
/** What happens at a moment is over when it did not happen again for so long. */
const MOMENT_MS = HOUR_MS;
/** Subjects that would follow within a minute are told by the same message, if they are through with most of their time. */
const AHEAD_MS = MINUTE_MS;
const AHEAD_SHARE = 0.2;

/** What is wrong with a terminal. Times are milliseconds since 1970. */
export interface Wrong {
  subjectId: string;
  name: string;
  host: string | null;
  reason: string | null;
  since: number;
}

export interface Subject extends Omit<Wrong, 'since'> {
  beganAt: number;
  /** Since when it is right; null: it is not. */
  endedAt: number | null;
  flaps: number;
  alertId: string | null;
}

export interface OpenAlert {
  id: string;
  openedAt: number;
  tellsAt: number;
  toldAt: number;
  isAcknowledged: boolean;
}

export interface RuleState {
  rule: Pick<AlertRule, 'when' | 'for_minutes' | 'remind_every_minutes'>;
  now: number;
  groupMs: number;
  wrong: readonly Wrong[];
  subjects: readonly Subject[];
  open: readonly OpenAlert[];
  /** When alerts of the rule were opened within an hour, oldest first. */
  openings: readonly number[];
  createId: () => string;
}

export interface RuleDecision {
  /** Subjects that are new or changed. */
  changed: Subject[];
  /** Ids of subjects that are none any more, to be taken away before those that changed are written. */
  gone: string[];
  /** An alert that begins. It is held where the rule has had its alerts of the hour. */
  opened?: { id: string; tellsAt: number; isHeld: boolean };
  /** Alerts to which subjects were added, and these. */
  joined: Map<string, Subject[]>;
  reminded: string[];
  resolved: string[];
  /** When to look again even if nothing happens; undefined: never. */
  dueAt: number | undefined;
}

const isMomentary = ({ when }: Pick<AlertRule, 'when'>): boolean => momentaryConditions.includes(when);

const toSettledMs = (rule: RuleState['rule'], { flaps }: Subject): number => {
  if (isMomentary(rule)) return MOMENT_MS;
  const base = Math.min(Math.max(rule.for_minutes * MINUTE_MS, SETTLED.leastMs), SETTLED.mostMs);
  return Math.min(base * 2 ** Math.min(flaps, 10), SETTLED.limitMs);
};

/** A clock that was set back leaves times that are to come. What they are of is taken to have happened now. */
const isAhead = ({ beganAt, endedAt }: Subject, now: number): boolean => beganAt > now || (endedAt ?? now) > now;

const toPast = (subject: Subject, now: number): Subject => ({
  ...subject,
  beganAt: Math.min(subject.beganAt, now),
  endedAt: subject.endedAt === null ? null : Math.min(subject.endedAt, now),
});

/** The subjects as they are now: those that begin, go on, come back or end. */
const follow = (
  { rule, now, wrong }: RuleState,
  subjects: readonly Subject[],
): { all: Subject[]; changed: Set<Subject> } => {
  const known = new Map(subjects.map((subject) => [subject.subjectId, { ...subject }]));
  const changed = new Set<Subject>();
  const bad = new Set<string>();
  for (const { since, ...facts } of wrong) {
    bad.add(facts.subjectId);
    const before = known.get(facts.subjectId);
    const endedAt = isMomentary(rule) ? now : null;
    if (!before) {
      const subject = { ...facts, beganAt: Math.min(since, now), endedAt, flaps: 0, alertId: null };
      known.set(facts.subjectId, subject);
      changed.add(subject);
    } else if (before.endedAt !== null) {
      Object.assign(before, facts, { endedAt, flaps: before.flaps + (isMomentary(rule) ? 0 : 1) });
      changed.add(before);
    }
  }
  for (const subject of known.values()) {
    if (bad.has(subject.subjectId) || subject.endedAt !== null) continue;
    subject.endedAt = now;
    changed.add(subject);
  }
  return { all: [...known.values()], changed };
};

/** Those that have lasted long enough, with those that would follow at once. */
const findFiring = ({ rule, now }: RuleState, subjects: readonly Subject[]): Subject[] => {
  const forMs = rule.for_minutes * MINUTE_MS;
  const waiting = subjects.filter(
    ({ alertId, endedAt }) => alertId === null && (endedAt === null || isMomentary(rule)),
  );
  if (!waiting.some(({ beganAt }) => now - beganAt >= forMs)) return [];
  const aheadMs = Math.min(AHEAD_MS, forMs * AHEAD_SHARE);
  return waiting.filter(({ beganAt }) => now - beganAt >= forMs - aheadMs);
};

const toOpened = ({ now, groupMs, openings, createId }: RuleState): NonNullable<RuleDecision['opened']> => {
  const isHeld = openings.length >= MAX_RULE_ALERTS_PER_HOUR;
  const freeAt = Math.min(openings.at(-MAX_RULE_ALERTS_PER_HOUR) ?? now, now) + HOUR_MS;
  return { id: createId(), tellsAt: isHeld ? Math.max(freeAt, now + groupMs) : now + groupMs, isHeld };
};

/** Its message is not sent yet, and will name what begins until then. Not if the clock was set back after it was opened. */
const isGathering = ({ openedAt, tellsAt }: OpenAlert, now: number): boolean => openedAt <= now && tellsAt > now;

const findDue = (
  state: RuleState,
  subjects: readonly Subject[],
  open: readonly Pick<OpenAlert, 'toldAt' | 'isAcknowledged'>[],
): number | undefined => {
  const { rule } = state;
  const remindMs = rule.remind_every_minutes === null ? undefined : rule.remind_every_minutes * MINUTE_MS;
  const ofSubjects = subjects.flatMap((subject) => {
    if (subject.endedAt !== null) return [subject.endedAt + toSettledMs(rule, subject)];
    return subject.alertId === null ? [subject.beganAt + rule.for_minutes * MINUTE_MS] : [];
  });
  const ofAlerts = open.flatMap(({ toldAt, isAcknowledged }) =>
    remindMs === undefined || isAcknowledged ? [] : [toldAt + remindMs],
  );
  const all = [...ofSubjects, ...ofAlerts];
  return all.length === 0 ? undefined : all.reduce((first, at) => Math.min(first, at));
};

/** What becomes of the alerts of a rule. */
export const decideRule = (state: RuleState): RuleDecision => {
  const { rule, now, open } = state;
  const ahead = new Set(state.subjects.filter((subject) => isAhead(subject, now)).map(({ subjectId }) => subjectId));
  const subjects = state.subjects.map((subject) => toPast(subject, now));
  const isGone = (subject: Subject): boolean =>
    subject.endedAt !== null && now - subject.endedAt >= toSettledMs(rule, subject);
  const gone = subjects.filter(isGone);
  const { all: left, changed } = follow(
    state,
    subjects.filter((subject) => !isGone(subject)),
  );
  const joined = new Map<string, Subject[]>();
  let opened: RuleDecision['opened'];
  const firing = findFiring(state, left);
  if (firing.length > 0) {
    const joinable = open.find((alert) => isGathering(alert, now));
    if (!joinable) opened = toOpened(state);
    const alertId = joinable?.id ?? opened!.id;
    for (const subject of firing) {
      subject.alertId = alertId;
      changed.add(subject);
    }
    joined.set(alertId, firing);
  }
  const alive = new Set(left.map(({ alertId }) => alertId));
  const resolved = open.filter(({ id }) => !alive.has(id)).map(({ id }) => id);
  const lasting = open.filter(({ id }) => alive.has(id));
  const remindMs =
    rule.remind_every_minutes === null || isMomentary(rule) ? Infinity : rule.remind_every_minutes * MINUTE_MS;
  const bad = new Set(left.flatMap(({ alertId, endedAt }) => (endedAt === null && alertId !== null ? [alertId] : [])));
  const isReminded = (alert: OpenAlert): boolean =>
    !alert.isAcknowledged &&
    bad.has(alert.id) &&
    !isGathering(alert, now) &&
    // Further ahead than the next reminder, it is a time of a clock that was set back.
    Math.abs(now - alert.toldAt) >= remindMs;
  const reminded = lasting.filter(isReminded).map(({ id }) => id);
  const told = lasting
    .filter(({ id }) => bad.has(id))
    .map((alert) => (reminded.includes(alert.id) ? { ...alert, toldAt: now } : alert));
  const begun = opened ? [{ toldAt: opened.tellsAt, isAcknowledged: false }] : [];
  const dueAt = findDue(state, left, isMomentary(rule) ? [] : [...told, ...begun]);
  return {
    changed: left.filter((subject) => changed.has(subject) || ahead.has(subject.subjectId)),
    gone: gone.map(({ subjectId }) => subjectId),
    ...(opened ? { opened } : {}),
    joined,
    reminded,
    resolved,
    dueAt,
  };
};
