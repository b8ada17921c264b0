import {
  createContext,
  useCallback,
  useContext,
  useId,
  useState,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react';
import { toFieldWords } from '../data/field-words.ts';
import { VERIFIED } from '../data/form-events.ts';

/** When a form is checked: as it is sent, or before. */
const CHECKED = ['submit', VERIFIED];

/** What is wrong with a field of the form around it, by its name. */
export const FormErrors = createContext<(field: string) => string | undefined>(() => undefined);

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

interface Input {
  form: HTMLFormElement | null;
}

/** What is wrong with it; nothing any more once it was edited, until the form is checked again. */
const useShownError = (error: string | undefined) => {
  const [isEdited, setEdited] = useState(false);
  const ref = useCallback((input: Input | null) => {
    const form = input?.form;
    const show = (): void => setEdited(false);
    for (const event of CHECKED) form?.addEventListener(event, show);
    return () => {
      for (const event of CHECKED) form?.removeEventListener(event, show);
    };
  }, []);
  return { ref, onInput: () => setEdited(true), shown: isEdited ? undefined : error };
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

export interface FieldGroupProps {
  label: string;
  /** As the API has it. */
  name: string;
  className?: string;
  children: ReactNode;
}

/** Several choices with one name, and what is wrong with them together. */
export const FieldGroup = ({ label, name, className = 'grid gap-2', children }: FieldGroupProps) => {
  const id = useId();
  const error = useContext(FormErrors)(name);
  const isWrong = error !== undefined;
  return (
    <fieldset className={className} data-wrong={isWrong ? '' : undefined} aria-describedby={isWrong ? id : undefined}>
      <legend className="field-name mb-1">{label}</legend>
      {children}
      {isWrong ? (
        <p className="field-error" id={id} role="alert">
          {toFieldWords(label, error)}
        </p>
      ) : null}
    </fieldset>
  );
};

interface ControlProps extends FieldFrameProps {
  name?: string | undefined;
}

/** What a field and its frame have in common, whatever it is made of. */
const useControl = ({ label, note, error, name = '' }: ControlProps) => {
  const id = useId();
  const wrong = useContext(FormErrors)(name);
  const { shown, ...watched } = useShownError(error ?? wrong);
  const frame = { id, label, note, error: shown };
  const aria = { 'aria-invalid': shown !== undefined || undefined, 'aria-describedby': toDescription(id, frame) };
  return { frame, control: { ...watched, ...aria, id } };
};

export type FieldProps = FieldFrameProps & InputHTMLAttributes<HTMLInputElement>;

/** A text field with its label. */
export const Field = ({ label, note, error, ...input }: FieldProps) => {
  const { frame, control } = useControl({ label, note, error, name: input.name });
  return (
    <Frame {...frame}>
      <input className="input" {...input} {...control} />
    </Frame>
  );
};

export type SelectProps = FieldFrameProps & SelectHTMLAttributes<HTMLSelectElement>;

/** One of a few, as a native select: the one that every phone, keyboard and screen reader supports. */
export const Select = ({ label, note, error, ...select }: SelectProps) => {
  const { frame, control } = useControl({ label, note, error, name: select.name });
  return (
    <Frame {...frame}>
      <select className="input" {...select} {...control} />
    </Frame>
  );
};

export type TextAreaProps = FieldFrameProps & TextareaHTMLAttributes<HTMLTextAreaElement>;

/** A text of several lines. */
export const TextArea = ({ label, note, error, ...area }: TextAreaProps) => {
  const { frame, control } = useControl({ label, note, error, name: area.name });
  return (
    <Frame {...frame}>
      <textarea className="input" rows={3} {...area} {...control} />
    </Frame>
  );
};
