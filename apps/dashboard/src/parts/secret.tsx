import { Copy } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { pageTexts } from '../texts/page-texts.ts';
import { Button } from './button.tsx';
import { copy } from './copy.ts';

const words = pageTexts.secret;

export interface SecretProps {
  /** A description, for people who cannot see it. */
  label: string;
  value: string;
}

/** Something to copy: a secret that is shown only once, a command. It is not stored. */
export const Secret = ({ label, value }: SecretProps) => {
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
