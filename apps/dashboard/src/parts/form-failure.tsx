import { toFormError } from '../data/form.ts';
import { Banner } from './banner.tsx';

export interface FormFailureProps {
  error: Error | null;
  /** Those that the form has: what is wrong with one of them is said beside it. */
  fields: readonly string[];
}

/** What is wrong with a form as a whole. */
export const FormFailure = ({ error, fields }: FormFailureProps) => {
  const text = toFormError(error, fields);
  return text === undefined ? null : <Banner kind="failure">{text}</Banner>;
};
