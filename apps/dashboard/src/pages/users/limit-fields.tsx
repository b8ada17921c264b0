/** The limits of a user: fields, and what they say. */
import type { ManagedUser } from '@berth/client';
import { isBlank, isWithin } from '../../data/form.ts';
import { useRegions } from '../../data/regions.ts';
import { Check } from '../../parts/check.tsx';
import { Field, FieldGroup } from '../../parts/field.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.users;
const MAX_TERMINALS = 1_000_000;
const MAX_MIB = 16_777_216;

type Limits = ManagedUser['limits'];
type Values = Record<string, string>;

const toWrong = (text: string | undefined, most: number): string | undefined =>
  isBlank(text) || isWithin(text, 0, most) ? undefined : words.enterLimit;

const TERMINALS = 'limits.terminals';
const STORAGE = 'limits.storage_mib';
const REGIONS = 'limits.regions';
export const limitNames = [TERMINALS, STORAGE, REGIONS];

export const findLimitErrors = ({ [TERMINALS]: terminals, [STORAGE]: storage }: Values) => ({
  [TERMINALS]: toWrong(terminals, MAX_TERMINALS),
  [STORAGE]: toWrong(storage, MAX_MIB),
});

const toNumber = (text: string | undefined): number | null => (isBlank(text) ? null : Number(text));

/** What the fields say; nothing is what the plan allows. @param regions those that are chosen */
export const toLimits = (values: Values, regions: readonly number[]): Limits => ({
  terminals: toNumber(values[TERMINALS]),
  storage_mib: toNumber(values[STORAGE]),
  regions: regions.length === 0 ? null : [...regions],
});

interface LimitFieldsProps {
  limits?: Limits;
  regions: readonly number[];
  onRegions: (regions: readonly number[]) => void;
}

const NumberField = ({ label, name, value }: { label: string; name: string; value: number | null | undefined }) => (
  <Field label={label} name={name} type="number" min={0} defaultValue={value ?? ''} note={words.limitNote} />
);

export const LimitFields = ({ limits, regions: chosen, onRegions }: LimitFieldsProps) => {
  const { data: regions = [] } = useRegions();
  return (
    <>
      <NumberField label={words.terminalLimit} name={TERMINALS} value={limits?.terminals} />
      <NumberField label={words.storage} name={STORAGE} value={limits?.storage_mib} />
      <FieldGroup label={words.regions} name={REGIONS} className="grid gap-1">
        <p className="field-note">{words.regionsNote}</p>
        {regions.map(({ id, label }) => (
          <Check
            key={id}
            label={label}
            isOn={chosen.includes(id)}
            onChange={(isOn) => onRegions(isOn ? [...chosen, id] : chosen.filter((other) => other !== id))}
          />
        ))}
      </FieldGroup>
    </>
  );
};
