import { useState, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Secret } from './secret.tsx';

/** The header of the dialog. */
interface Head {
  title: string;
  lead?: string;
}

export interface SecretDialogProps<Made> {
  isOpen: boolean;
  onClose: () => void;
  /** While the form is being filled in. */
  before: Head;
  /** Once it was created; `done` is the button's label. */
  after: Head & { label: string; done: string };
  toSecret: (made: Made) => string;
  /** A note below the secret. */
  note?: (made: Made) => ReactNode;
  /** The form, with its buttons. */
  children: (onMade: (made: Made) => void, onClose: () => void) => ReactNode;
}

/**
 * A form, then the secret that it created, shown once: when the dialog is closed, nothing of it remains in the page.
 */
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
