/**
 * How an attempt's end is recorded, as pure functions: from what the driver returned, and why it was cut short, to what
 * the journal and the report contain. The result always fits the agent protocol, whatever a driver put into its steps.
 */
import { hkdfSync } from 'node:crypto';
import type { AgentEvent } from '@berth/contract/agent';
import { type StepCode, type TaskStep, cutText } from '@berth/contract/values';
import { openText, sealText } from '@berth/kit';
import type { AttemptOutcome } from '../platforms/driver.ts';
import type { AttemptKey } from '../server/server-calls.ts';
import type { Attempt, RecordedEnd } from './attempt-ledger.ts';

export type AttemptSecrets = NonNullable<AttemptOutcome['secrets']>;

/**
 * Keeps the secrets of an outcome (a new demo account's password) unreadable in the journal: encrypted with a key
 * derived from the host's credential, and bound to the attempt. They need to survive only until the report is
 * acknowledged.
 */
export class OutcomeSeal {
  readonly #key: Buffer;

  constructor(credential: string) {
    this.#key = Buffer.from(hkdfSync('sha256', credential, '', 'berth agent journal', 32));
  }

  seal(key: AttemptKey, secrets: AttemptSecrets): string {
    return sealText(this.#key, toBinding(key), JSON.stringify(secrets));
  }

  /** @returns undefined when it was encrypted for another attempt or with another credential */
  open(key: AttemptKey, sealed: string): AttemptSecrets | undefined {
    const text = openText(this.#key, toBinding(key), sealed);
    return text === undefined ? undefined : (JSON.parse(text) as AttemptSecrets);
  }
}

const toBinding = ({ taskId, fence }: AttemptKey): string => `${taskId}:${fence}`;

/** Why an attempt was aborted. */
export type AbortCause = 'deadline' | 'revoked' | 'stopping';

/** The server refuses bodies over 1 MiB, and an end is sent together with others. */
const MAX_STEPS_BYTES = 900 * 1024;
const MAX_STEPS = 64;

const toStep = (step: string, code: StepCode, message: string, nowMs: number): TaskStep => ({
  step,
  ok: false,
  code,
  message,
  at: new Date(nowMs).toISOString(),
  data: {},
});

/**
 * PostgreSQL cannot store NUL and unpaired surrogates as JSON. JSON.stringify writes both as escapes, in keys too; the
 * first alternative skips escaped backslashes, so that the text "\u0000" itself is kept.
 */
const UNSTORABLE = /(\\\\)|\\u(?:0000|d[89a-f][0-9a-f]{2})/g;
const toStorable = (json: string): string =>
  json.replace(UNSTORABLE, (_match, backslash: string | undefined) => backslash ?? '\ufffd');

/** Steps within the protocol's limits; the last ones are kept, because they show how the attempt ended. */
const toWireSteps = (steps: TaskStep[]): { steps: TaskStep[]; sizeBytes: number } => {
  const cut = steps.slice(-MAX_STEPS).map((step) => ({
    ...step,
    step: cutText(step.step, 64),
    message: cutText(step.message, 2000),
    at: cutText(step.at, 40),
  }));
  const storable = toStorable(JSON.stringify(cut));
  return { steps: JSON.parse(storable) as TaskStep[], sizeBytes: Buffer.byteLength(storable) };
};

const toBoundedEnd = (kind: 'completed' | 'failed' | 'timed_out', given: TaskStep[], nowMs: number): RecordedEnd => {
  const { steps, sizeBytes } = toWireSteps(given);
  if (sizeBytes <= MAX_STEPS_BYTES) return { kind, steps, atMs: nowMs };
  const text = `The result has ${sizeBytes} bytes; at most ${MAX_STEPS_BYTES} can be reported.`;
  return { kind: 'failed', steps: [toStep('report', 'E_INTERNAL', text, nowMs)], atMs: nowMs };
};

/**
 * The outcome of an attempt.
 * @param outcome undefined when the driver rejected (a bug), or did not return soon after the abort
 * @param cause why the attempt was aborted; undefined when it was not
 * @returns undefined when the attempt is no longer valid
 */
export const toRecordedEnd = (
  outcome: AttemptOutcome | undefined,
  cause: AbortCause | undefined,
  nowMs: number,
): RecordedEnd | undefined => {
  if (cause === 'revoked') return undefined;
  if (outcome?.kind === 'completed') return toBoundedEnd('completed', outcome.steps, nowMs);
  if (cause === 'stopping') return { kind: 'interrupted', atMs: nowMs };
  if (cause === 'deadline') {
    const step = toStep('deadline', 'E_TIMEOUT', 'The task did not end within its deadline.', nowMs);
    return toBoundedEnd('timed_out', [...(outcome?.steps ?? []), step], nowMs);
  }
  if (outcome) return toBoundedEnd('failed', outcome.steps, nowMs);
  const text = "A defect stopped the task; the agent's log holds the details.";
  return { kind: 'failed', steps: [toStep('carry_out', 'E_INTERNAL', text, nowMs)], atMs: nowMs };
};

export const toStartedEvent = ({ taskId, fence }: Attempt, nowMs: number): AgentEvent => ({
  kind: 'started',
  at: nowMs,
  task_id: taskId,
  fence,
});

export const toEndEvent = ({ taskId, fence }: Attempt, end: RecordedEnd, secrets?: AttemptSecrets): AgentEvent => ({
  kind: end.kind,
  at: end.atMs,
  task_id: taskId,
  fence,
  ...(end.kind === 'interrupted' ? {} : { steps: end.steps }),
  ...(secrets ? { secrets } : {}),
});
