import { Copy } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { pageTexts } from '../texts/page-texts.ts';
import { Button } from './button.tsx';

const words = pageTexts.secret;

export interface SecretProps {
  /** What it is, for who cannot see it. */
  label: string;
  value: string;
}

const copy = async (value: string, field: HTMLTextAreaElement | null): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(value);
    return true;
  } catch {
    // A page that is not served by TLS has no clipboard: the text is selected, so that the keyboard copies it.
    field?.select();
    return false;
  }
};

/** Something to copy: a secret that is shown this once, a command. It is kept nowhere. */
export const Secret = ({ label, value }: SecretProps) => {
  const field = useRef<HTMLTextAreaElement>(null);
  const [state, setState] = useState<'copied' | 'selected'>();
  useEffect(() => field.current?.select(), []);
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
        <Button
          icon={<Copy />}
          onClick={() => void copy(value, field.current).then((isDone) => setState(isDone ? 'copied' : 'selected'))}
        >
          {words.copy}
        </Button>
        <span className="text-ink-2" role="status">
          {state === undefined ? '' : words[state]}
        </span>
      </div>
    </div>
  );
};
