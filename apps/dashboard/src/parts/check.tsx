import { useId, type ReactNode } from 'react';
import { FieldGroup, type FieldGroupProps } from './field.tsx';

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

export interface RadioChoicesProps<Value extends string> extends Omit<FieldGroupProps, 'children'> {
  /** Each with an explanation. */
  choices: Readonly<Record<Value, readonly string[]>>;
  /** Undefined: nothing is chosen beforehand. */
  chosen?: Value;
}

/** One of a few, explained. */
export const RadioChoices = <Value extends string>({ choices, chosen, ...group }: RadioChoicesProps<Value>) => (
  <FieldGroup {...group}>
    {(Object.keys(choices) as Value[]).map((value) => (
      <label key={value} className="choice">
        <input type="radio" name={group.name} value={value} defaultChecked={value === chosen} />
        <span>
          {choices[value][0]}
          <small className="block">{choices[value][1]}</small>
        </span>
      </label>
    ))}
  </FieldGroup>
);
