import type { FieldError } from '../errors.ts';
import { isSingleLine } from '../text.ts';
import { TaskType } from './types.ts';

const INPUT_NAME = /^[\p{L}_][\p{L}\p{N}_]{0,62}$/u;

const toInputErrors = (inputs: Record<string, unknown>): FieldError[] =>
  Object.entries(inputs).flatMap(([name, value]) => {
    if (!INPUT_NAME.test(name))
      return [{ field: 'inputs', text: 'The payload.inputs field has an invalid input name.' }];
    // JSON reads 1e400 as Infinity, which cannot be written as JSON.
    const isScalar = ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
    const isSafe = typeof value !== 'string' || (value.length <= 1024 && isSingleLine(value));
    return isScalar && isSafe
      ? []
      : [
          {
            field: `inputs.${name}`,
            text: `The payload.inputs.${name} field must be a string, number or boolean of one line.`,
          },
        ];
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
