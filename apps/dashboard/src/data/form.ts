/** Values of a form, and what is wrong with them: found here before they are sent, or by the server. */
import { RefusedError, ValidationError } from '@berth/client';
import { useEffect, useRef, useState, type FormEvent, type RefObject } from 'react';
import { texts } from '../texts/texts.ts';
import { VERIFIED } from './form-events.ts';
import { toErrorText, useAction, type ActionOptions } from './action.ts';

/** What is wrong, in a sentence each, by the names that the API has for the fields. */
export type FieldErrors = Readonly<Record<string, string | undefined>>;

/** The server's message about a field of a form, or about a part of it: `abilities.0`. */
export const toFieldError = (error: Error | null, field: string): string | undefined =>
  error instanceof ValidationError
    ? Object.entries(error.errors).find(([name]) => name === field || name.startsWith(`${field}.`))?.[1][0]
    : undefined;

/** The message about the form as a whole: everything that belongs to no field. */
export const toFormError = (error: Error | null, fields: readonly string[]): string | undefined => {
  if (error === null) return undefined;
  const isShown = fields.some((field) => toFieldError(error, field) !== undefined);
  if (isShown && !(error instanceof RefusedError)) return undefined;
  // It names a field as the API does, which means nothing to a person.
  return error instanceof ValidationError ? texts.errors.refused : toErrorText(error);
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

export const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === '';

/** Whether it looks like an e-mail address; whether it is one, only a mail can tell. */
export const isEmail = (text: string | undefined): boolean => /^[^\s@]+@[^\s@]+$/.test(text?.trim() ?? '');

/** Whether it is a whole number within these bounds. */
export const isWithin = (text: string | undefined, least: number, most: number): boolean => {
  const number = isBlank(text) ? NaN : Number(text);
  return Number.isInteger(number) && number >= least && number <= most;
};

export interface FormOptions<Values, Outcome> extends Omit<ActionOptions<Values, Outcome>, 'isSilentOnError'> {
  /** What is wrong with what was typed. It is sent only if that is nothing. */
  check: (values: Values) => FieldErrors;
}

export interface Form<Values> {
  /** Spread into `<form>`: the browser checks nothing by itself. */
  props: { ref: RefObject<HTMLFormElement | null>; noValidate: true };
  submit: (values: Values) => void;
  /** Shows what is wrong without sending anything. @returns whether that is nothing */
  verify: (values: Values) => boolean;
  isRunning: boolean;
  /** What is wrong with the field. */
  toError: (field: string) => string | undefined;
  /** For `FormFailure`. */
  error: Error | null;
}

/** A form that is checked and sent. After a refusal the focus is in the first wrong field. */
export const useForm = <Values, Outcome>({ check, ...action }: FormOptions<Values, Outcome>): Form<Values> => {
  const { run, isRunning, error, reset } = useAction({ ...action, isSilentOnError: true });
  const [wrong, setWrong] = useState<FieldErrors>({});
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"], fieldset[data-wrong] input')?.focus();
  }, [wrong, error]);
  const verify = (values: Values): boolean => {
    const found = check(values);
    setWrong(found);
    reset();
    form.current?.dispatchEvent(new Event(VERIFIED));
    return Object.values(found).every((text) => text === undefined);
  };
  const submit = (values: Values): void => {
    if (!isRunning && verify(values)) run(values);
  };
  const toError = (field: string): string | undefined => wrong[field] ?? toFieldError(error, field);
  return { props: { ref: form, noValidate: true }, submit, verify, isRunning, toError, error };
};
