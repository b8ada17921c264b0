/**
 * A form that is checked when it is sent. Whatever is wrong with a field, found here or by the server, is said in one
 * sentence of our own beside it, and the first field that is wrong has the focus.
 */
import { useEffect, useRef, useState, type FormEvent, type RefObject } from 'react';
import { toFieldError } from './create-task.ts';

export interface CheckedFormOptions {
  /** The fields that are wrong as they stand. */
  wrong: readonly string[];
  /** What the server said of the last request. */
  error: Error | null;
  /** By field, what to enter. */
  sentences: Readonly<Record<string, string>>;
  send: () => void;
}

export interface CheckedForm {
  form: RefObject<HTMLFormElement | null>;
  submit: (event: FormEvent) => void;
  toError: (field: string) => string | undefined;
}

export const useCheckedForm = ({ wrong, error, sentences, send }: CheckedFormOptions): CheckedForm => {
  const form = useRef<HTMLFormElement>(null);
  /** How often it was not sent; until then, nobody is told what is missing. */
  const [refusals, setRefusals] = useState(0);
  useEffect(() => {
    if (refusals > 0 || error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusals, error]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (wrong.length > 0) return setRefusals(refusals + 1);
    setRefusals(0);
    send();
  };
  const toError = (field: string): string | undefined => {
    const said = toFieldError(error, field);
    return said !== undefined || (refusals > 0 && wrong.includes(field)) ? (sentences[field] ?? said) : undefined;
  };
  return { form, submit, toError };
};

/** Of these, those that are empty. */
export const listEmpty = (values: Readonly<Record<string, string>>): string[] =>
  Object.keys(values).filter((field) => values[field]?.trim() === '');

/** Whether a text is a whole number in a range; an empty one leaves the choice to the server. */
export const isWholeOrEmpty = (text: string, [least, most]: readonly [number, number]): boolean =>
  text.trim() === '' || (/^\d+$/.test(text.trim()) && Number(text) >= least && Number(text) <= most);
