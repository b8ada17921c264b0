/** What is filled in, and what the server says is wrong with it. */
import { RefusedError, ValidationError } from '@berth/client';
import type { FormEvent } from 'react';
import { toErrorText } from './action.ts';

/** What is wrong with a field of a form, by the server's own words. */
export const toFieldError = (error: Error | null, field: string): string | undefined =>
  error instanceof ValidationError ? error.errors[field]?.[0] : undefined;

/** What is wrong with all of it: everything that belongs to no field. */
export const toFormError = (error: Error | null, fields: readonly string[]): string | undefined => {
  if (error === null) return undefined;
  const isShown = fields.some((field) => toFieldError(error, field) !== undefined);
  return isShown && !(error instanceof RefusedError) ? undefined : toErrorText(error);
};

/** The fields of a form as text; they are read when it is sent, so what a password manager filled in counts too. */
export const readForm = (event: FormEvent<HTMLFormElement>): Record<string, string> => {
  event.preventDefault();
  const values = [...new FormData(event.currentTarget)];
  return Object.fromEntries(values.map(([name, value]) => [name, typeof value === 'string' ? value : '']));
};
