import { Copy } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { pageTexts } from '../texts/page-texts.ts';
import { Button } from './button.tsx';
import { copy } from './copy.ts';
import { Dialog } from './dialog.tsx';
import { useOpening } from './opening.ts';

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

const words = pageTexts.secret;

interface SecretProps {
  /** A description, for people who cannot see it. */
  label: string;
  value: string;
}

/** Something to copy: a secret that is shown only once, a command. It is not stored. */
const Secret = ({ label, value }: SecretProps) => {
  const field = useRef<HTMLTextAreaElement>(null);
  const [state, setState] = useState<'copied' | 'selected'>();
  useEffect(() => field.current?.select(), []);
  const copyValue = async (): Promise<void> => {
    const wasCopied = await copy(value);
    if (!wasCopied) field.current?.select();
    setState(wasCopied ? 'copied' : 'selected');
  };
  return (
    <div className="secret">
      <textarea
        ref={field}
        className="input font-figures"
        aria-label={label}
        readOnly
        spellCheck={false}
        rows={Math.min(8, Math.ceil(value.length / 52) + value.split('\n').length - 1)}
        value={value}
        onFocus={(event) => event.target.select()}
      />
      <div className="flex items-center gap-3">
        <Button icon={<Copy />} onClick={() => void copyValue()}>
          {words.copy}
        </Button>
        <span className="text-ink-2" role="status">
          {state === undefined ? '' : words[state]}
        </span>
      </div>
    </div>
  );
};

/**
 * A form, then the secret that it created, shown once: when the dialog is closed, nothing of it remains in the page.
 */
export const SecretDialog = <Made,>({ isOpen, before, after, ...props }: SecretDialogProps<Made>) => {
  const opening = useOpening(isOpen);
  // It stays until the dialog has faded out, so that the form does not come back in the meantime.
  const [last, setLast] = useState<{ opening: number; made: Made }>();
  const made = last?.opening === opening ? last.made : undefined;
  const { title, lead } = made === undefined ? before : after;
  return (
    <Dialog
      title={title}
      description={lead}
      isOpen={isOpen}
      onClose={props.onClose}
      onClosed={() => setLast(undefined)}
      hasOwnActions
    >
      {made === undefined ? (
        props.children((next) => setLast({ opening, made: next }), props.onClose)
      ) : (
        <>
          <Secret label={after.label} value={props.toSecret(made)} />
          {props.note?.(made)}
          <div className="dialog-foot">
            <Button kind="primary" onClick={props.onClose}>
              {after.done}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
};
