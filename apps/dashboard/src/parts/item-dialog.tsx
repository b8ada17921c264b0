/** Dialogs about one item of a list, or about nothing but themselves: then the item is `true`. */
import { useState, type FormEvent, type ReactNode } from 'react';
import type { Action } from '../data/action.ts';
import { pageTexts } from '../texts/page-texts.ts';
import { Button } from './button.tsx';
import { Dialog, FormFoot } from './dialog.tsx';
import type { DialogProps } from './dialog-frame.tsx';
import { Field } from './field.tsx';

type Said<Item, Words> = Words | ((item: Item) => Words);

const say = <Item, Words>(said: Said<Item, Words>, item: Item): Words =>
  typeof said === 'function' ? (said as (item: Item) => Words)(item) : said;

interface About<Item> {
  /** Undefined: it is closed. What it shows stays until it has faded out. */
  item: Item | undefined;
  title: Said<Item, string>;
  /** What it is about, or what will happen. */
  lead?: Said<Item, ReactNode>;
  onClose: () => void;
}

const useLast = <Item,>(item: Item | undefined): Item | undefined => {
  const [last, setLast] = useState(item);
  if (item !== undefined && item !== last) setLast(item);
  return item ?? last;
};

export interface ItemDialogProps<Item> extends About<Item>, Pick<DialogProps, 'size'> {
  /** A form, with its buttons. */
  children: (item: Item) => ReactNode;
}

/** A form that changes an item. */
export const ItemDialog = <Item,>({ item, title, lead, children, ...dialog }: ItemDialogProps<Item>) => {
  const shown = useLast(item);
  if (shown === undefined) return null;
  return (
    <Dialog
      {...dialog}
      title={say(title, shown)}
      description={say(lead, shown)}
      isOpen={item !== undefined}
      hasOwnActions
    >
      {children(shown)}
    </Dialog>
  );
};

export interface ConfirmProps<Item> extends About<Item> {
  /** The label of the button: "Delete terminal". */
  verb: Said<Item, string>;
  kind?: 'destroy' | 'primary';
  action: Pick<Action<Item>, 'run'> & { isRunning?: boolean };
  /** Has to be typed before: the name of what is destroyed, or a word. */
  typed?: Said<Item, string>;
  /** What can be chosen with it. */
  children?: ReactNode;
}

interface TypedProps {
  name: string;
  verb: string;
  isBusy: boolean | undefined;
  onConfirm: () => void;
  onClose: () => void;
}

const TypedForm = ({ name, verb, isBusy, onConfirm, onClose }: TypedProps) => {
  const [typed, setTyped] = useState('');
  const { type, whyNot } = pageTexts.frame.confirm;
  const isRight = typed.trim() === name.trim();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isRight && !isBusy) onConfirm();
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field
        label={type(name)}
        value={typed}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
      />
      <FormFoot onClose={onClose} kind="destroy" isBusy={isBusy} whyNot={isRight ? undefined : whyNot}>
        {verb}
      </FormFoot>
    </form>
  );
};

/** Says what will happen, and asks before it does. */
export const Confirm = <Item,>(props: ConfirmProps<Item>) => {
  const { item, title, lead, verb, kind = 'destroy', action, typed, onClose, children } = props;
  const shown = useLast(item);
  if (shown === undefined) return null;
  const frame = { title: say(title, shown), description: say(lead, shown), isOpen: item !== undefined, onClose };
  const confirm = (): void => (item === undefined ? undefined : action.run(item));
  const isBusy = action.isRunning;
  if (typed !== undefined) {
    return (
      <Dialog {...frame} hasOwnActions>
        <TypedForm
          name={say(typed, shown)}
          verb={say(verb, shown)}
          isBusy={isBusy}
          onConfirm={confirm}
          onClose={onClose}
        />
      </Dialog>
    );
  }
  const button = (
    <Button kind={kind} isBusy={isBusy} onClick={confirm}>
      {say(verb, shown)}
    </Button>
  );
  return (
    <Dialog {...frame} actions={button}>
      {children}
    </Dialog>
  );
};
