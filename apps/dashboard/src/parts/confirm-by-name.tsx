import { useState, type FormEvent, type ReactNode } from 'react';
import { pageTexts } from '../texts/page-texts.ts';
import { Dialog, FormFoot } from './dialog.tsx';
import { Field } from './field.tsx';

export interface ConfirmByNameProps {
  title: string;
  /** What will happen, and what cannot be undone. */
  children: ReactNode;
  /** Has to be typed: the name of what is destroyed, or a word. */
  name: string;
  /** The button's label: "Delete terminal". */
  verb: string;
  isOpen: boolean;
  isBusy: boolean;
  onClose: () => void;
  onConfirm: () => void;
}

const Form = ({ name, verb, isBusy, onConfirm, onClose }: ConfirmByNameProps) => {
  const [typed, setTyped] = useState('');
  const isRight = typed.trim() === name.trim();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isRight && !isBusy) onConfirm();
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field
        label={pageTexts.frame.confirm.type(name)}
        value={typed}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
      />
      <FormFoot
        onClose={onClose}
        kind="destroy"
        isBusy={isBusy}
        whyNot={isRight ? undefined : pageTexts.frame.confirm.whyNot}
      >
        {verb}
      </FormFoot>
    </form>
  );
};

/** Asks for the name before a destructive action; says what will happen. */
export const ConfirmByName = (props: ConfirmByNameProps) => (
  <Dialog title={props.title} isOpen={props.isOpen} onClose={props.onClose} description={props.children} hasOwnActions>
    <Form {...props} />
  </Dialog>
);
