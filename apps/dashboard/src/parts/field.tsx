import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react';
import { toFieldWords } from '../data/field-words.ts';

interface FieldFrameProps {
  label: string;
  /** A hint below it. */
  note?: ReactNode;
  /** What is wrong with it, in a sentence. */
  error?: string | undefined;
}

interface FrameProps extends FieldFrameProps {
  id: string;
  children: ReactNode;
}

const toDescription = (id: string, { note, error }: FieldFrameProps): string | undefined => {
  const ids = [note === undefined ? '' : `${id}-note`, error === undefined ? '' : `${id}-error`];
  return ids.filter((part) => part !== '').join(' ') || undefined;
};

const Frame = ({ id, label, note, error, children }: FrameProps) => (
  <div className="field">
    <label htmlFor={id}>{label}</label>
    {children}
    {note === undefined ? null : (
      <p className="field-note" id={`${id}-note`}>
        {note}
      </p>
    )}
    {error === undefined ? null : (
      <p className="field-error" id={`${id}-error`} role="alert">
        {toFieldWords(label, error)}
      </p>
    )}
  </div>
);

export type FieldProps = FieldFrameProps & InputHTMLAttributes<HTMLInputElement>;

/** A text field with its label. */
export const Field = ({ label, note, error, ...input }: FieldProps) => {
  const id = useId();
  return (
    <Frame id={id} label={label} note={note} error={error}>
      <input
        className="input"
        {...input}
        id={id}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={toDescription(id, { label, note, error })}
      />
    </Frame>
  );
};

export type SelectProps = FieldFrameProps & SelectHTMLAttributes<HTMLSelectElement>;

/** One of a few, as a native select: the one that every phone, keyboard and screen reader supports. */
export const Select = ({ label, note, error, children, ...select }: SelectProps) => {
  const id = useId();
  return (
    <Frame id={id} label={label} note={note} error={error}>
      <select
        className="input"
        {...select}
        id={id}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={toDescription(id, { label, note, error })}
      >
        {children}
      </select>
    </Frame>
  );
};

export type TextAreaProps = FieldFrameProps & TextareaHTMLAttributes<HTMLTextAreaElement>;

/** A text of several lines. */
export const TextArea = ({ label, note, error, ...area }: TextAreaProps) => {
  const id = useId();
  return (
    <Frame id={id} label={label} note={note} error={error}>
      <textarea
        className="input"
        rows={3}
        {...area}
        id={id}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={toDescription(id, { label, note, error })}
      />
    </Frame>
  );
};
