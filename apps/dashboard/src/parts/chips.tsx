import type { ReactNode } from 'react';

export interface ChipsProps<Value extends string | undefined> {
  label: string;
  values: readonly Value[];
  chosen: Value;
  onChoose: (value: Value) => void;
  /** The label of a value's chip. */
  children: (value: Value) => ReactNode;
}

/** A choice of one of a few, all of them visible. */
export const Chips = <Value extends string | undefined>({ label, values, chosen, ...props }: ChipsProps<Value>) => (
  <div className="chips" role="group" aria-label={label}>
    {values.map((value) => (
      <button
        key={value ?? ''}
        type="button"
        className="chip"
        aria-pressed={value === chosen}
        onClick={() => props.onChoose(value)}
      >
        {props.children(value)}
      </button>
    ))}
  </div>
);
