/**
 * Looks at the alerts of one user: what is wrong, which alerts that begins, goes on with or ends, and which messages follow.
 * All of it is one transaction, with the user's place in the log: a server that dies in it leaves nothing, and the next one
 * looks again.
 */
import {
  momentaryConditions,
  taskCatalogue,
  type AlertCondition,
  type AlertRule,
  type TaskType,
} from '@berth/contract';
import type { Transaction } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import { recordEvents } from '../events/record.ts';
import { countWithPositions } from '../trading/reading.ts';
import { askLater, type ConfirmationParts } from './confirmation.ts';
import { listWrong, readMoments, type Condition } from './conditions.ts';
import { decideRule, type RuleDecision, type Subject, type Wrong } from './decision.ts';
import { findQuietEnd } from './quiet-hours.ts';
import * as records from './records.ts';
import { countChannelsLocked, insertChannel } from './channels.ts';
import { findBaseUrl } from './links.ts';
import { insertRule } from './rules.ts';

type Beginning = Pick<AlertRule, 'name' | 'when' | 'for_minutes'>;

/** The rules that every user begins with. He may change or delete them; they are made once. */
const beginnings: readonly Beginning[] = [
  { name: 'Terminal down', when: 'terminal_down', for_minutes: 5 },
  { name: 'Login failed', when: 'login_failed', for_minutes: 0 },
  { name: 'Algo trading switched off', when: 'trading_off', for_minutes: 0 },
];

/** @param confirmation undefined: no mail can be sent, and the notification in Berth is all there is */
const createDefaults = async (
  tx: Transaction,
  userId: string,
  confirmation: ConfirmationParts | undefined,
): Promise<void> => {
  const { owner } = await countChannelsLocked(tx, userId);
  const channelIds: string[] = [];
  if (confirmation && (owner.is_verified || findBaseUrl(confirmation.config) !== undefined)) {
    const settings = { to: owner.email };
    const kind = { kind: 'email', name: 'E-mail', settings, secrets: null, withScreenshot: false } as const;
    const channel = await insertChannel(tx, { id: createId(), userId, ...kind, isConfirmed: owner.is_verified });
    askLater(confirmation, tx, owner.email, channel);
    channelIds.push(channel.id);
  }
  const common = {
    remind_every_minutes: null,
    project_id: null,
    terminal_ids: null,
    channel_ids: channelIds,
    quiet_hours: null,
    enabled: true,
  };
  for (const rule of beginnings) await insertRule(tx, userId, createId(), { ...rule, ...common });
};

/** Something that is wrong is looked at again so often, even if nothing happens. */
const AGAIN_MS = 30_000;
const SHOWN_IDS = 100;
const SHOWN_NAMES = 5;

export interface Look {
  userId: string;
  wakes: readonly string[];
  /** The log may be read up to here. */
  horizon: number;
  /** Whether the horizon is behind everything that was committed when the wakes were seen. */
  isCurrent: boolean;
  groupMs: number;
  /** undefined: no mail can be sent. */
  confirmation: ConfirmationParts | undefined;
}

const toReason = (type: string, data: Record<string, unknown>): string | null => {
  if (type === 'task.finished') return taskCatalogue[data.type as TaskType]?.name ?? null;
  const said = data.trading_reason ?? data.reason ?? data.kind;
  return typeof said === 'string' ? said : null;
};

/** @returns whether a condition is one of those that a rule looks at */
const createFilter = ({ when, project_id: ruleProjectId, terminal_ids: ruleIds }: records.FollowedRule) => {
  const ids = ruleIds && new Set<string | null>(ruleIds);
  return (condition: Condition): boolean =>
    condition.when === when &&
    (ruleProjectId === null || ruleProjectId === condition.project_id) &&
    (ids === null || ids.has(condition.terminal_id));
};

/** What a rule looks at. Trading that is off counts where somebody else switched it off, or where that was found before. */
export const findWrong = (
  rule: records.FollowedRule,
  wrong: readonly Condition[],
  moments: readonly Condition[],
  subjects: readonly Subject[],
): Wrong[] => {
  const isOurs = createFilter(rule);
  const toWrong = ({ terminal_id: id, name, host, reason, since }: Condition): Wrong => ({
    ...{ subjectId: id ?? rule.id, name, host, reason, since },
  });
  // What happened before the rule was as it is now, is none of its business.
  const happenings = moments.filter((one) => isOurs(one) && one.since >= rule.changed_at);
  if (momentaryConditions.includes(rule.when)) return happenings.map(toWrong);
  const lasting = wrong.filter(isOurs);
  if (rule.when !== 'trading_off') return lasting.map(toWrong);
  const switched = new Map(happenings.map((one) => [one.terminal_id, one.since]));
  const known = new Map(subjects.map(({ subjectId, beganAt }) => [subjectId, beganAt]));
  return lasting.flatMap((one) => {
    const since = switched.get(one.terminal_id) ?? known.get(one.terminal_id ?? '');
    return since === undefined ? [] : [toWrong({ ...one, since })];
  });
};

/** What an alert is about: what it was about before, and what joins it. */
const readSubject = async (
  tx: Transaction,
  subjects: readonly Subject[],
  before?: records.AlertSubject,
): Promise<records.AlertSubject> => {
  const open = await countWithPositions(
    tx,
    subjects.map(({ subjectId }) => subjectId),
  );
  const hosts = new Set([...subjects.map(({ host }) => host), ...(before ? [before.host] : [])]);
  const ids = [...(before?.terminal_ids ?? []), ...subjects.map(({ subjectId }) => subjectId)];
  return {
    terminals: (before?.terminals ?? 0) + subjects.length,
    with_positions: open === null ? (before?.with_positions ?? null) : (before?.with_positions ?? 0) + open,
    host: hosts.size === 1 ? [...hosts][0]! : null,
    terminal_ids: ids.slice(0, SHOWN_IDS),
    names: [...(before?.names ?? []), ...subjects.map(({ name }) => name)].slice(0, SHOWN_NAMES),
    reason: before ? before.reason : (subjects[0]?.reason ?? null),
  };
};

/** When a message may be sent, and whether it was put off. */
const toDue = (rule: records.FollowedRule, at: number): { dueAt: number; isQuiet: boolean } => {
  const end = rule.quiet_hours ? findQuietEnd(rule.quiet_hours, at) : undefined;
  return { dueAt: end ?? at, isQuiet: end !== undefined };
};

const open = async (
  tx: Transaction,
  userId: string,
  rule: records.FollowedRule,
  { id, tellsAt, isHeld }: NonNullable<RuleDecision['opened']>,
  subjects: readonly Subject[],
): Promise<void> => {
  const subject = await readSubject(tx, subjects);
  await records.insertAlert(tx, userId, rule, { id, subject, tellsAt });
  const { dueAt, isQuiet } = toDue(rule, tellsAt);
  const messages = {
    alertId: id,
    channelIds: rule.channel_ids,
    kind: 'opened',
    dueAt,
    isHeld: isHeld || isQuiet,
  } as const;
  await records.insertMessages(tx, userId, messages, createId);
  const data = { alert_id: id, rule_id: rule.id, name: rule.name, when: rule.when, terminals: subject.terminals };
  await recordEvents(tx, [{ type: 'alert.opened', userId, terminalId: null, data }]);
};

const resolve = async (
  tx: Transaction,
  userId: string,
  rule: records.FollowedRule,
  id: string,
  now: number,
): Promise<void> => {
  const over = await records.resolveAlert(tx, id, now);
  if (!over) return;
  const isMomentary = momentaryConditions.includes(rule.when);
  if (!isMomentary) {
    const { dueAt, isQuiet: isHeld } = toDue(rule, now);
    const messages = { alertId: id, channelIds: over.told_channels, kind: 'resolved', dueAt, isHeld } as const;
    await records.insertMessages(tx, userId, messages, createId);
  }
  const { rule_id, rule_name: name, when, subject } = over;
  const data = { alert_id: id, rule_id, name, when, terminals: subject.terminals };
  await recordEvents(tx, [{ type: 'alert.resolved', userId, terminalId: null, data, isQuiet: isMomentary }]);
};

const follow = async (
  tx: Transaction,
  { userId, groupMs }: Look,
  now: number,
  rule: records.FollowedRule,
  facts: {
    wrong: readonly Condition[];
    moments: readonly Condition[];
    subjects: readonly Subject[];
    open: readonly records.StoredAlert[];
  },
): Promise<number | undefined> => {
  const { subjects } = facts;
  const wrong = findWrong(rule, facts.wrong, facts.moments, subjects);
  if (wrong.length + subjects.length + facts.open.length === 0) return undefined;
  const state = { rule, now, groupMs, wrong, subjects, open: facts.open, openings: rule.openings, createId };
  const decision = decideRule(state);
  for (const [id, joined] of decision.joined) {
    if (id === decision.opened?.id) await open(tx, userId, rule, decision.opened, joined);
    else await records.changeAlertSubject(tx, id, (before) => readSubject(tx, joined, before));
  }
  await records.writeSubjects(tx, rule.id, decision.gone, decision.changed);
  for (const id of decision.reminded) {
    const { dueAt, isQuiet: isHeld } = toDue(rule, now);
    const messages = { alertId: id, channelIds: rule.channel_ids, kind: 'reminder', dueAt, isHeld } as const;
    await records.insertMessages(tx, userId, messages, createId);
    await records.noteReminder(tx, id, now);
  }
  for (const id of decision.resolved) await resolve(tx, userId, rule, id, now);
  return decision.dueAt;
};

const groupByRule = <Row extends { rule_id: string | null }>(rows: readonly Row[]): Map<string | null, Row[]> => {
  const groups = new Map<string | null, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.rule_id);
    if (group) group.push(row);
    else groups.set(row.rule_id, [row]);
  }
  return groups;
};

const listConditions = (rules: readonly records.FollowedRule[]): AlertCondition[] => [
  ...new Set(rules.map(({ when }) => when).filter((when) => !momentaryConditions.includes(when))),
];

/** @returns whether it was done; another server may be at it */
export const evaluateUser = async (tx: Transaction, look: Look): Promise<boolean> => {
  const { userId, horizon, isCurrent, confirmation } = look;
  const reader = await records.lockReader(tx, userId, horizon);
  if (!reader) return false;
  const { now } = reader;
  // What a suspended account has, is not looked at until it is active again.
  const wakes = isCurrent ? look.wakes : [];
  if (!reader.is_active) {
    const dueAt = now + 10 * AGAIN_MS;
    await records.moveReader(tx, userId, { position: reader.position, hasDefaults: false, dueAt, wakes });
    return true;
  }
  const needsDefaults = !reader.has_defaults && reader.has_terminals;
  if (needsDefaults) await createDefaults(tx, userId, confirmation);
  const rules = await records.listFollowedRules(tx, userId);
  // A database that was restored has fewer events than were read.
  const place = { position: isCurrent ? Math.min(reader.position, horizon) : reader.position, horizon };
  const { moments, position, hasMore } = await readMoments(tx, userId, place, toReason);
  const wrong = rules.length === 0 ? [] : await listWrong(tx, userId, listConditions(rules));
  const ruleIds = rules.map(({ id }) => id);
  const subjects = groupByRule(await records.listSubjects(tx, ruleIds));
  const alerts = groupByRule(await records.listOpen(tx, userId));
  const dues: number[] = hasMore ? [now] : [];
  for (const rule of rules) {
    const facts = { wrong, moments, subjects: subjects.get(rule.id) ?? [], open: alerts.get(rule.id) ?? [] };
    const dueAt = await follow(tx, look, now, rule, facts);
    if (dueAt !== undefined) dues.push(Math.min(dueAt, now + AGAIN_MS));
  }
  const dueAt = dues.length === 0 ? null : dues.reduce((first, at) => Math.min(first, at));
  await records.moveReader(tx, userId, { position, hasDefaults: needsDefaults, dueAt, wakes });
  return true;
};
