import { toFormError } from '../data/form.ts';
import { Banner } from './banner.tsx';

export interface FormFailureProps {
  error: Error | null;
  /** The fields of the form: errors about one of them are shown next to it. */
  fields: readonly string[];
}

/** Errors about a form as a whole. */
export const FormFailure = ({ error, fields }: FormFailureProps) => {
  const text = toFormError(error, fields);
  return text === undefined ? null : <Banner kind="failure">{text}</Banner>;
};
