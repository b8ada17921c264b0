import type { FormHTMLAttributes, ReactNode } from 'react';
import { readForm, toFormError, type Form as FormState } from '../data/form.ts';
import { Banner } from './banner.tsx';
import { FormErrors } from './field.tsx';

type Typed = Record<string, string>;

interface FormFailureProps {
  error: Error | null;
  /** The fields of the form: errors about one of them are shown next to it. */
  fields?: readonly string[] | undefined;
}

/** Errors about a form as a whole. */
export const FormFailure = ({ error, fields = [] }: FormFailureProps) => {
  const text = toFormError(error, fields);
  return text === undefined ? null : <Banner kind="failure">{text}</Banner>;
};

export interface FormProps<Values> extends Omit<FormHTMLAttributes<HTMLFormElement>, 'onSubmit'> {
  form: FormState<Values>;
  fields?: readonly string[];
  /** What is sent; without it, what is typed in fields with a name. */
  toValues?: (typed: Typed) => Values;
  /** Stands before what is wrong. */
  lead?: ReactNode;
}

/** A form: what is wrong with it as a whole, and its fields, which find what is wrong with them by their names. */
export const Form = <Values,>({ form, fields, toValues, lead, children, ...others }: FormProps<Values>) => (
  <form
    className="grid gap-4"
    {...others}
    {...form.props}
    onSubmit={(event) => {
      const typed = readForm(event);
      form.submit(toValues ? toValues(typed) : (typed as Values));
    }}
  >
    {lead}
    <FormFailure error={form.error} fields={fields} />
    <FormErrors value={form.toError}>{children}</FormErrors>
  </form>
);
