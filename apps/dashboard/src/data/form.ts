/** Form values, and the server's errors about them. */
import { RefusedError, ValidationError } from '@berth/client';
import type { FormEvent } from 'react';
import { toErrorText } from './action.ts';

/** The server's message about a field of a form. */
export const toFieldError = (error: Error | null, field: string): string | undefined =>
  error instanceof ValidationError ? error.errors[field]?.[0] : undefined;

/** The message about the form as a whole: everything that belongs to no field. */
export const toFormError = (error: Error | null, fields: readonly string[]): string | undefined => {
  if (error === null) return undefined;
  const isShown = fields.some((field) => toFieldError(error, field) !== undefined);
  return isShown && !(error instanceof RefusedError) ? undefined : toErrorText(error);
};

/**
 * The fields of a form as text; they are read when it is submitted, so values filled in by a password manager count
 * too.
 */
export const readForm = (event: FormEvent<HTMLFormElement>): Record<string, string> => {
  event.preventDefault();
  const values = [...new FormData(event.currentTarget)];
  return Object.fromEntries(values.map(([name, value]) => [name, typeof value === 'string' ? value : '']));
};
