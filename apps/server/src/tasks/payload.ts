import {
  payloadSchemas,
  taskCatalogue,
  taskTypes,
  toPayloadRuleErrors,
  type FieldError,
  type TaskDefinition,
  type TaskType,
} from '@berth/contract';
import { ValidationError } from '../errors.ts';
import { compileStrictBody, type Validated } from '../validation/validation.ts';

const MAX_PAYLOAD_BYTES = 16 * 1024;
const PREFIX = 'payload.';

/** What a secret field of a payload reads back as. */
export const MASK = '********';

const checks = new Map<TaskType, (payload: Record<string, unknown>) => Validated>(
  taskTypes.map((type) => [type, compileStrictBody(payloadSchemas[type], 'create', PREFIX)]),
);

const assertSize = (payload: Record<string, unknown>): void => {
  let isSmall = false;
  try {
    isSmall = Buffer.byteLength(JSON.stringify(payload)) <= MAX_PAYLOAD_BYTES;
  } catch {
    // Nested too deeply to be serialised: too large all the same.
  }
  if (!isSmall) throw ValidationError.of('payload', 'The payload field must not be greater than 16 kilobytes.');
};

const toErrors = (type: TaskType, { value, errors }: Validated): FieldError[] => {
  const broken = new Set(errors.map(({ field }) => field));
  const ruled = toPayloadRuleErrors(type, value).map((error) => ({ ...error, field: PREFIX + error.field }));
  return [...errors, ...ruled.filter(({ field }) => !broken.has(field))];
};

/**
 * Validates a payload against its type, and fills in defaults; an unknown key is an error.
 * @throws ValidationError with keys `payload.<field>`
 */
export const parsePayload = (type: TaskType, payload: Record<string, unknown> = {}): Record<string, unknown> => {
  assertSize(payload);
  const check = checks.get(type);
  if (!check) throw new Error(`no payload schema for task type ${type}`);
  const validated = check(payload);
  const errors = toErrors(type, validated);
  if (errors.length > 0) throw new ValidationError(errors);
  return validated.value;
};

/**
 * The payload with the task's top-level chart: both mean the same, wherever the caller puts it.
 * @throws ValidationError when they differ, or the type has no chart
 */
export const withChart = (
  type: TaskType,
  payload: Record<string, unknown> | undefined,
  chartId: string | undefined,
): Record<string, unknown> | undefined => {
  if (chartId === undefined) return payload;
  if (!('chart_id' in payloadSchemas[type].properties)) {
    const { name } = taskCatalogue[type];
    throw ValidationError.of('chart_id', `The chart id field does not apply to the type ${name}.`);
  }
  const own = typeof payload?.chart_id === 'string' ? payload.chart_id.trim() : payload?.chart_id;
  if (own !== undefined && own !== null && own !== '' && own !== chartId) {
    throw ValidationError.of('chart_id', 'The chart id field and payload.chart_id must be the same.');
  }
  return { ...payload, chart_id: chartId };
};

/** Splits a payload into its public part, and its secrets. */
export const splitSecrets = (
  { secretFields }: TaskDefinition,
  payload: Record<string, unknown>,
): { shown: Record<string, unknown>; secrets: Record<string, string> | undefined } => {
  const present = secretFields.filter((field) => typeof payload[field] === 'string');
  if (present.length === 0) return { shown: payload, secrets: undefined };
  const secrets = Object.fromEntries(present.map((field) => [field, String(payload[field])]));
  return { shown: { ...payload, ...Object.fromEntries(present.map((field) => [field, MASK])) }, secrets };
};
