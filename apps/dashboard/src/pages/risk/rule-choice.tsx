/** Fields that the form of a rule is made of. */
import type { ReactNode } from 'react';
import { Field, Select } from '../../parts/field.tsx';
import type { RuleDraft } from './rule-draft.ts';
import type { DraftErrors } from './rule-values.ts';

export interface RuleFieldsProps {
  draft: RuleDraft;
  onChange: (changes: Partial<RuleDraft>) => void;
  /** What is wrong with a field, by its name in the API. */
  toError: (field: string) => string | undefined;
}

/** Of several names that one field stands for. */
export const toFirstError = (
  { toError }: Pick<RuleFieldsProps, 'toError'>,
  ...names: (keyof DraftErrors)[]
): string | undefined => names.map(toError).find((text) => text !== undefined);

export interface ChoiceProps<Value extends string> {
  label: string;
  value: Value;
  /** In their order, with their names. */
  choices: Readonly<Record<Value, string>>;
  note?: ReactNode;
  error: string | undefined;
  onChoose: (value: Value) => void;
}

/** One of a few values. */
export const Choice = <Value extends string>({ value, choices, onChoose, ...others }: ChoiceProps<Value>) => (
  <Select {...others} value={value} onChange={({ target }) => onChoose(target.value as Value)}>
    {Object.entries<string>(choices).map(([one, name]) => (
      <option key={one} value={one}>
        {name}
      </option>
    ))}
  </Select>
);

export interface TypedProps {
  label: string;
  value: string;
  note?: ReactNode;
  error: string | undefined;
  isRequired?: boolean;
  onType: (value: string) => void;
}

/** A number, as a person types it. */
export const Typed = ({ isRequired = false, onType, ...others }: TypedProps) => (
  <Field
    {...others}
    inputMode="decimal"
    autoComplete="off"
    required={isRequired}
    onChange={({ target: { value } }) => onType(value)}
  />
);
