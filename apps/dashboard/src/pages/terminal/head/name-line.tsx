import type { Terminal } from '@berth/client';
import { Pencil } from 'lucide-react';
import { useState, type FormEvent, type KeyboardEvent } from 'react';
import { useAction } from '../../../data/action.ts';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { Button } from '../../../parts/button.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { texts } from '../../../texts/texts.ts';

const words = pageTexts.terminal;
const MAX_NAME = 255;

/** Renames the terminal. */
export const useRename = (id: string, onDone?: () => void) =>
  useAction({
    run: (name: string) => berth.terminals.update(id, { name }),
    done: ({ name }: Terminal) => words.renamed(name),
    touches: () => [keys.terminals.one(id), keys.terminals.lists],
    ...(onDone === undefined ? {} : { onDone }),
  });

const Editor = ({ terminal: { id, name }, onClose }: { terminal: Terminal; onClose: () => void }) => {
  const [text, setText] = useState(name);
  const rename = useRename(id, onClose);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted === '' || wanted === name) onClose();
    else rename.run(wanted);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') onClose();
  };
  return (
    <form className="name-editor" onSubmit={submit}>
      <input
        className="input"
        dir="auto"
        aria-label={words.name}
        value={text}
        maxLength={MAX_NAME}
        // The user has just asked for this field.
        autoFocus
        onFocus={(event) => event.target.select()}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKey}
      />
      <Button type="submit" kind="primary" isBusy={rename.isRunning}>
        {texts.save}
      </Button>
      <Button onClick={onClose}>{texts.cancel}</Button>
    </form>
  );
};

/** The name as the page's title; it can be edited in place. */
export const NameLine = ({ terminal }: { terminal: Terminal }) => {
  const [isEditing, setEditing] = useState(false);
  if (isEditing) return <Editor terminal={terminal} onClose={() => setEditing(false)} />;
  return (
    <div className="name-line">
      <h1 className="min-w-0 truncate" title={terminal.name}>
        <bdi>{terminal.name}</bdi>
      </h1>
      <Button
        kind="bare"
        icon={<Pencil />}
        aria-label={words.rename}
        title={words.rename}
        onClick={() => setEditing(true)}
      />
    </div>
  );
};
