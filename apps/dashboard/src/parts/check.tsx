import { useId, type ReactNode } from 'react';

export interface CheckProps {
  label: ReactNode;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  /** What it means, below it. */
  note?: ReactNode;
}

/** Something that is on or off, with its name beside it. */
export const Check = ({ label, isOn, onChange, note }: CheckProps) => {
  const id = useId();
  return (
    <div className="check">
      <input
        type="checkbox"
        id={id}
        checked={isOn}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      {note === undefined ? null : (
        <p className="field-note" id={`${id}-note`}>
          {note}
        </p>
      )}
    </div>
  );
};
