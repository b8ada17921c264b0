import { useState, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Secret } from './secret.tsx';

/** What a dialog says at its head. */
interface Head {
  title: string;
  lead?: string;
}

export interface SecretDialogProps<Made> {
  isOpen: boolean;
  onClose: () => void;
  /** While one fills in what is made. */
  before: Head;
  /** When it is there; `done` is the word on the button. */
  after: Head & { label: string; done: string };
  toSecret: (made: Made) => string;
  /** What is said below the secret. */
  note?: (made: Made) => ReactNode;
  /** What is filled in, with its buttons. */
  children: (onMade: (made: Made) => void, onClose: () => void) => ReactNode;
}

/** A form, then the secret that it made, shown once: when the dialog is closed, nothing of it is left in the page. */
export const SecretDialog = <Made,>({ isOpen, before, after, ...props }: SecretDialogProps<Made>) => {
  const [made, setMade] = useState<Made>();
  const close = (): void => {
    setMade(undefined);
    props.onClose();
  };
  const { title, lead } = made === undefined ? before : after;
  return (
    <Dialog title={title} description={lead} isOpen={isOpen} onClose={close} hasOwnActions>
      {made === undefined ? (
        props.children(setMade, close)
      ) : (
        <>
          <Secret label={after.label} value={props.toSecret(made)} />
          {props.note?.(made)}
          <div className="dialog-foot">
            <Button kind="primary" onClick={close}>
              {after.done}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
};
