/**
 * Validates the server's answers: JSON with status 200 may come from a captive portal, from another service at a wrong
 * address, or from a cache that gives one host what was meant for another. An answer that does not have the protocol's
 * shape, or does not match the request, did not come from Berth: then nothing has happened, and the call is retried.
 */
import {
  eventVerdicts,
  type AgentEvent,
  type DeliveredTask,
  type EventVerdict,
  type WantedTerminal,
} from '@berth/contract/agent';
import { isDecimal, MAX_SWITCH_CHECKS } from '@berth/contract/values';
import type { AccountsAnswer, AttemptKey, HeartbeatAnswer, RiskRules } from './server-calls.ts';
import { toForeignError } from './server-error.ts';
import type { JsonAnswer } from './server-transport.ts';

type Fields = Record<string, unknown>;
type Check = (value: unknown) => boolean;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const isText: Check = (value) => typeof value === 'string';
const isId: Check = (value) => typeof value === 'string' && UUID.test(value);
const isNatural: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isObject: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isListOf =
  (isItem: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every((item) => isItem(item));
const isShaped =
  (checks: Record<string, Check>): Check =>
  (value) =>
    isObject(value) && Object.entries(checks).every(([name, isRight]) => isRight((value as Fields)[name]));

const isTerminal = isShaped({ id: isId, platform: isText, status: isNatural, server_name: isText, login: isText });
const isTask = isShaped({
  id: isId,
  fence: (value) => isNatural(value) && value !== 0,
  type: isNatural,
  terminal: isTerminal,
  payload: isObject,
  secrets: isObject,
  running_deadline_ms: isNatural,
});
const isVerdict: Check = (value) => (eventVerdicts as readonly unknown[]).includes(value);

const toForeign = ({ call }: JsonAnswer): Error => toForeignError(call, 'with another shape');

const read = <Result>(answer: JsonAnswer, checks: Record<string, Check>): Result => {
  if (!isShaped(checks)(answer.json)) throw toForeign(answer);
  return answer.json as Result;
};

/** The answer to a call of a session names that session. */
const assertOfSession = (answer: JsonAnswer, sessionId: string): void => {
  if (answer.json.session_id !== sessionId) throw toForeign(answer);
};

export const readSession = (answer: JsonAnswer, sessionId: string): WantedTerminal[] => {
  assertOfSession(answer, sessionId);
  return read<{ terminals: WantedTerminal[] }>(answer, { terminals: isListOf(isTerminal) }).terminals;
};

export const readHeartbeat = (
  answer: JsonAnswer,
  sessionId: string,
  inHand: readonly AttemptKey[],
): HeartbeatAnswer => {
  assertOfSession(answer, sessionId);
  const asked = new Set(inHand.map(({ taskId }) => taskId));
  const isAsked: Check = (id) => asked.has(id as string);
  const isVersion: Check = (value) => value === undefined || isNatural(value);
  const isFlag: Check = (value) => typeof value === 'boolean';
  const isLeft: Check = (value) => value === undefined || isListOf(isId)(value);
  const checks = { revoked: isListOf(isAsked), resync: isFlag, risk_version: isVersion, left: isLeft };
  type Found = { revoked: string[]; resync: boolean; risk_version?: number; left?: string[] };
  const { revoked, resync, risk_version: riskVersion, left } = read<Found>(answer, checks);
  return { revoked, isResyncWanted: resync, riskVersion, left };
};

/** @returns the tasks, and the terminals that are to be checked */
export const readClaim = (
  answer: JsonAnswer,
  sessionId: string,
  slots: number,
): { tasks: DeliveredTask[]; checks: string[] } => {
  assertOfSession(answer, sessionId);
  const isChecks: Check = (value) => value === undefined || isListOf(isId)(value);
  const shape = { tasks: isListOf(isTask), checks: isChecks };
  const { tasks, checks = [] } = read<{ tasks: DeliveredTask[]; checks?: string[] }>(answer, shape);
  const hasDoubles = new Set(tasks.map(({ id }) => id)).size < tasks.length;
  if (tasks.length > slots || hasDoubles || checks.length > MAX_SWITCH_CHECKS) throw toForeign(answer);
  return { tasks, checks };
};

const isNaturalOrAbsent: Check = (value) => value === undefined || isNatural(value);
/** A number that may be left out. */
const isAmount: Check = (value) =>
  value === undefined || value === null || (typeof value === 'string' && isDecimal(value));
const isGuardRule = isShaped({
  ...{ id: isId, kind: isText, basis: isText, trail: isText, day_starts: isText, time_zone: isText },
  ...{ amount: isAmount, percent: isAmount, trail_stops_at: isAmount, trail_stops_at_initial_plus: isAmount },
  ...{ buffer: isAmount, warn_percent: isNatural, confirm_ms: isNaturalOrAbsent, version: isNaturalOrAbsent },
  actions: isListOf(isText),
});
const isGuarded = isShaped({
  ...{ terminal_id: isId, login: isText, server: isText, initial_balance: isAmount },
  released: (value) => value === undefined || isListOf(isId)(value),
  rules: isListOf(isShaped({ index: isNatural, reset: (value) => value === undefined || isId(value) })),
});

/** Rules that act on money: an answer of another shape changes none. */
export const readRiskRules = (answer: JsonAnswer, sessionId: string): RiskRules => {
  assertOfSession(answer, sessionId);
  const checks = { risk_version: isNatural, rules: isListOf(isGuardRule), terminals: isListOf(isGuarded) };
  const { risk_version, rules, terminals } = read<RiskRules>(answer, checks);
  return { risk_version, rules, terminals };
};

/** What need not be reported again. */
export const readAcknowledged = (answer: JsonAnswer, sessionId: string): string[] => {
  assertOfSession(answer, sessionId);
  return read<{ acknowledged: string[] }>(answer, { acknowledged: isListOf(isId) }).acknowledged;
};

/** How far the server has the evidence of a breach. */
export const readLastLine = (answer: JsonAnswer, sessionId: string): number | null => {
  assertOfSession(answer, sessionId);
  const isLine: Check = (value) => value === null || isNatural(value);
  return read<{ last_line: number | null }>(answer, { last_line: isLine }).last_line;
};

/** Terminals that the agent should report again. */
export const readCharts = (answer: JsonAnswer, sessionId: string): string[] => {
  assertOfSession(answer, sessionId);
  return read<{ too_soon: string[] }>(answer, { too_soon: isListOf(isId) }).too_soon;
};

const isTicketOrNull: Check = (value) => value === null || (typeof value === 'string' && /^\d{1,18}$/.test(value));
const isCursor = isShaped({ terminal_id: isId, last_ticket: isTicketOrNull });

/** What was not taken of accounts, and how far the server has their deals. */
export const readAccounts = (answer: JsonAnswer, sessionId: string): AccountsAnswer => {
  assertOfSession(answer, sessionId);
  return read<AccountsAnswer>(answer, {
    too_soon: isListOf(isId),
    refused: isListOf(isShaped({ terminal_id: isId, reason: isText })),
    cursors: isListOf(isCursor),
  });
};

/** One verdict per event, in order: without it, an event has not been reported. */
export const readReport = (answer: JsonAnswer, sessionId: string, events: readonly AgentEvent[]): EventVerdict[] => {
  assertOfSession(answer, sessionId);
  const { verdicts } = read<{ verdicts: EventVerdict[] }>(answer, { verdicts: isListOf(isVerdict) });
  if (verdicts.length !== events.length) throw toForeign(answer);
  return verdicts;
};

/** A credential names the host it is for. */
export const readEnrolment = (answer: JsonAnswer): { hostId: string; credential: string } => {
  const { host_id: hostId, credential } = read<{ host_id: string; credential: string }>(answer, {
    host_id: isId,
    credential: isText,
  });
  if (!credential.startsWith(`${hostId}|`) || credential.length <= hostId.length + 1) throw toForeign(answer);
  return { hostId, credential };
};

export interface UploadedFile {
  id: string;
  url: string;
  sha256: string;
  size: number;
  type: string;
}

/** The file as stored by the server: hash and size must match what was sent. */
export const readUpload = (answer: JsonAnswer, sent: { sha256: string; sizeBytes: number }): UploadedFile => {
  const isFile = isShaped({
    id: isId,
    sha256: (value) => value === sent.sha256,
    size: (value) => value === sent.sizeBytes,
    type: isText,
  });
  const { file, url } = read<{ file: UploadedFile; url: string }>(answer, { file: isFile, url: isText });
  return { id: file.id, url, sha256: file.sha256, size: file.size, type: file.type };
};
