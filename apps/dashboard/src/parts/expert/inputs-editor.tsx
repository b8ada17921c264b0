import { MAX_INPUT_CHARACTERS, type Platform } from '@berth/contract/values';
import { Plus, X } from 'lucide-react';
import { Button } from '../button.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { toFieldError } from '../../data/create-task.ts';
import { findInputError, withInputs, type InputRow } from './inputs.ts';
import { PresetExport } from './preset-export.tsx';
import { PresetImport } from './preset-import.tsx';

const words = pageTexts.terminalExperts.inputsEditor;

export interface InputsEditorProps {
  rows: readonly InputRow[];
  onChange: (rows: InputRow[]) => void;
  /** Of the terminal that a preset is saved for; MetaTrader 5 where that is not known. */
  platform?: Platform | undefined;
  /** What it means to list none; by default, that the expert has its own. */
  none?: string;
  /** The server's message about an input, by its name. */
  toError?: (name: string) => string | undefined;
}

interface LineProps {
  row: InputRow;
  error: string | undefined;
  onChange: (row: InputRow) => void;
  onDrop: () => void;
}

const Line = ({ row, error, onChange, onDrop }: LineProps) => (
  <li>
    <input
      className="input figure"
      aria-label={words.name}
      value={row.name}
      readOnly={row.isKnown}
      title={row.name}
      maxLength={MAX_INPUT_CHARACTERS}
      spellCheck={false}
      autoCapitalize="off"
      aria-invalid={error !== undefined || undefined}
      onChange={(event) => onChange({ ...row, name: event.target.value })}
    />
    <input
      className="input figure"
      aria-label={`${words.value} ${row.name}`}
      value={row.value}
      maxLength={1024}
      dir="auto"
      spellCheck={false}
      onChange={(event) => onChange({ ...row, value: event.target.value })}
    />
    {row.isKnown ? <span /> : <Button kind="bare" icon={<X />} aria-label={words.drop(row.name)} onClick={onDrop} />}
    {error === undefined ? null : (
      <p className="field-error" role="alert">
        {error}
      </p>
    )}
  </li>
);

/** What is wrong with the value of an input, according to the server. */
export const toInputError = (error: Error | null, name: string): string | undefined =>
  toFieldError(error, `inputs.${name}`) === undefined ? undefined : words.wrongValue;

/** An expert's inputs by name and value; those reported by the host keep their names. */
export const InputsEditor = ({ rows, onChange, platform, none = words.none, toError }: InputsEditorProps) => {
  const set = (index: number, row: InputRow): void => onChange(rows.map((old, at) => (at === index ? row : old)));
  return (
    <fieldset className="inputs">
      <legend className="field-name">{words.title}</legend>
      {rows.length === 0 ? <p className="field-note">{none}</p> : null}
      <ul>
        {rows.map((row, index) => (
          <Line
            key={row.key}
            row={row}
            error={findInputError(rows, row) ?? toError?.(row.name)}
            onChange={(changed) => set(index, changed)}
            onDrop={() => onChange(rows.filter((_, at) => at !== index))}
          />
        ))}
      </ul>
      <div className="flex flex-wrap items-start gap-2">
        <Button
          isStep
          icon={<Plus />}
          onClick={() =>
            onChange([
              ...rows,
              {
                key: crypto.getRandomValues(new Uint32Array(1))[0] ?? rows.length,
                name: '',
                value: '',
                isKnown: false,
              },
            ])
          }
        >
          {words.add}
        </Button>
        <PresetImport onInputs={(inputs) => onChange(withInputs(rows, inputs))} />
        <PresetExport rows={rows} platform={platform} />
      </div>
    </fieldset>
  );
};
