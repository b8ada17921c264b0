import { useEffect, useRef, useState } from 'react';
import { isShortcut } from './shortcut.ts';

export interface SearchFieldProps {
  label: string;
  /** The placeholder: what can be searched for. */
  hint?: string;
  value: string;
  /** Called when typing has paused for a moment. */
  onSearch: (text: string) => void;
}

/** Long enough not to search for every letter. */
const REST_MS = 250;

/** Searches as you type; `/` focuses it from anywhere on the page. */
export const SearchField = ({ label, hint = label, value, onSearch }: SearchFieldProps) => {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  if (value !== shown) {
    // The URL changed by itself: back, forward, or a link.
    setShown(value);
    setText(value);
  }
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onSearch(text), REST_MS);
    return () => clearTimeout(timer);
  }, [text, value, onSearch]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!isShortcut(event, '/')) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <div className="search" role="search">
      <input
        ref={field}
        type="search"
        className="input"
        data-compact=""
        aria-label={label}
        placeholder={hint}
        maxLength={255}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {text === '' ? <kbd aria-hidden="true">/</kbd> : null}
    </div>
  );
};
