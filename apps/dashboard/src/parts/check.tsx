import { useId, type ReactNode } from 'react';

export interface CheckProps {
  label: ReactNode;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  /** An explanation, below it. */
  note?: ReactNode;
}

/** A checkbox with its label. */
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
