import type { FieldError } from '../errors.ts';
import { isSingleLine } from '../text.ts';
import { isExactNumber } from './input-values.ts';
import { findInputFault } from './names.ts';
import { TaskType } from './types.ts';

const MAX_VALUE_CHARACTERS = 1024;

const findValueError = (field: string, value: unknown): FieldError | undefined => {
  // JSON reads 123456789012345678 as …680, and 1e400 as Infinity.
  if (typeof value === 'number' && !isExactNumber(value)) {
    return {
      field,
      text: `The payload.${field} field must be a number that JSON holds with all its digits: an integer up to ${Number.MAX_SAFE_INTEGER}.`,
      hint: 'Send a larger number as a text, in quotes: the expert gets it digit by digit.',
    };
  }
  const isText = typeof value === 'string' && value.length <= MAX_VALUE_CHARACTERS && isSingleLine(value);
  if (isText || typeof value === 'number' || typeof value === 'boolean') return undefined;
  return { field, text: `The payload.${field} field must be a string, number or boolean of one line.` };
};

const toInputErrors = (inputs: Record<string, unknown>): FieldError[] =>
  Object.entries(inputs).flatMap(([name, value]) => {
    const fault = findInputFault(name);
    if (fault === undefined) return findValueError(`inputs.${name}`, value) ?? [];
    const hint = 'Name inputs as the source of the expert does, not as its window shows them.';
    return [{ field: 'inputs', text: `A name in the payload.inputs field ${fault}.`, hint }];
  });

/**
 * Rules that a JSON schema of the payload does not express. Fields are relative to the payload. Pure.
 * @example
 * import { TaskType, toPayloadRuleErrors } from '@berth/contract';
 * const [error] = toPayloadRuleErrors(TaskType.ACCOUNT_LOGIN, { login: '5001' });
 * error?.field; // => 'password'
 */
export const toPayloadRuleErrors = (type: TaskType, payload: Record<string, unknown>): FieldError[] => {
  const has = (field: string) => payload[field] !== undefined;
  const errors: FieldError[] = [];
  if ((type === TaskType.EA_REMOVE || type === TaskType.EA_UPDATE) && !has('chart_id') && !has('name')) {
    errors.push({
      field: 'chart_id',
      text: 'The payload.chart_id field is required when payload.name is not present.',
    });
  }
  if (type === TaskType.EA_UPDATE && !has('file_id') && !has('inputs')) {
    errors.push({
      field: 'file_id',
      text: 'The payload.file_id field is required when payload.inputs is not present.',
    });
  }
  if (type === TaskType.ACCOUNT_SERVER && !has('servers') && !has('file_id')) {
    errors.push({
      field: 'servers',
      text: 'The payload.servers field is required when payload.file_id is not present.',
    });
  }
  if (type === TaskType.ACCOUNT_LOGIN && has('login') && !has('password')) {
    errors.push({ field: 'password', text: 'The payload.password field is required when payload.login is present.' });
  }
  if (typeof payload.inputs === 'object' && payload.inputs !== null) {
    errors.push(...toInputErrors(payload.inputs as Record<string, unknown>));
  }
  return errors;
};
