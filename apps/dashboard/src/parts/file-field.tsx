import { useId, useRef, useState, type DragEvent } from 'react';
import { Button } from './button.tsx';
import { toBytesText } from './bytes.ts';
import { pageTexts } from '../texts/page-texts.ts';

const words = pageTexts.terminalExperts.install;

export interface FileFieldProps {
  /** Defaults to an expert. */
  label?: string;
  file: Pick<File, 'name' | 'size'> | undefined;
  error?: string | undefined;
  onFile: (file: File) => void;
}

/** A file of the user's machine: selected, or dropped here. */
export const FileField = ({ label = words.file, file, error, onFile }: FileFieldProps) => {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
    const [dropped] = event.dataTransfer.files;
    if (dropped) onFile(dropped);
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div
        className="file-field"
        data-over={isOver ? '' : undefined}
        onDragOver={(event) => [event.preventDefault(), setOver(true)]}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <input
          ref={field}
          id={id}
          type="file"
          className="sr-only"
          aria-describedby={error === undefined ? `${id}-chosen` : `${id}-chosen ${id}-error`}
          aria-invalid={error !== undefined || undefined}
          onChange={({ target: { files } }) => (files?.[0] ? onFile(files[0]) : undefined)}
        />
        <Button onClick={() => field.current?.click()} tabIndex={-1}>
          {words.choose}
        </Button>
        <span id={`${id}-chosen`} className="clip">
          {file === undefined ? words.dropHere : words.chosen(file.name, toBytesText(file.size))}
        </span>
      </div>
      {error === undefined ? null : (
        <p className="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
};
