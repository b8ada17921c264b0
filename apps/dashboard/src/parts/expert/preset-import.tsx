import { useId, useState } from 'react';
import { VERIFIED } from '../../data/form-events.ts';
import { Button } from '../button.tsx';
import { TextArea } from '../field.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.terminalExperts.inputsEditor.preset;

/** Loaded when somebody has a preset: few do. */
const parse = async (bytes: Uint8Array): Promise<Record<string, string>> =>
  (await import('@berth/client/set-file')).parseSetFile(bytes);

/** Takes inputs from a preset of MetaTrader: from a `.set` file, or from its lines as text. */
export const PresetImport = ({ onInputs }: { onInputs: (inputs: Record<string, string>) => void }) => {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const take = async (bytes: Uint8Array, form: HTMLFormElement | null): Promise<void> => {
    try {
      onInputs(await parse(bytes));
      setOpen(false);
      setText('');
      setError(undefined);
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : words.unreadable);
      // The form is not sent, but this part of it was checked: its field shows what is wrong.
      form?.dispatchEvent(new Event(VERIFIED));
    }
  };
  if (!isOpen) return <Button onClick={() => setOpen(true)}>{words.open}</Button>;
  return (
    <div className="grid w-full gap-2">
      <label htmlFor={id}>{words.file}</label>
      <input
        id={id}
        type="file"
        accept=".set"
        className="input"
        autoFocus
        onChange={({ target: { files, form } }) =>
          void files?.[0]?.arrayBuffer().then((bytes) => take(new Uint8Array(bytes), form))
        }
      />
      <TextArea
        label={words.paste}
        value={text}
        spellCheck={false}
        error={error}
        onChange={({ target: { value } }) => setText(value)}
      />
      <div>
        <Button
          whyNot={text.trim() === '' ? words.nothing : undefined}
          onClick={({ currentTarget }) => void take(new TextEncoder().encode(text), currentTarget.form)}
        >
          {words.take}
        </Button>
      </div>
    </div>
  );
};
