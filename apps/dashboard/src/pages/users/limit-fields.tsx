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

export const findLimitErrors = ({ terminals, storage }: Values) => ({
  'limits.terminals': toWrong(terminals, MAX_TERMINALS),
  'limits.storage_mib': toWrong(storage, MAX_MIB),
});

const toNumber = (text: string | undefined): number | null => (isBlank(text) ? null : Number(text));

/** What the fields say; nothing is what the plan allows. @param regions those that are chosen */
export const toLimits = ({ terminals, storage }: Values, regions: readonly number[]): Limits => ({
  terminals: toNumber(terminals),
  storage_mib: toNumber(storage),
  regions: regions.length === 0 ? null : [...regions],
});

interface LimitFieldsProps {
  limits?: Limits;
  regions: readonly number[];
  onRegions: (regions: readonly number[]) => void;
  toError: (field: string) => string | undefined;
}

export const LimitFields = ({ limits, regions: chosen, onRegions, toError }: LimitFieldsProps) => {
  const { data: regions = [] } = useRegions();
  return (
    <>
      <Field
        label={words.terminalLimit}
        name="terminals"
        type="number"
        min={0}
        defaultValue={limits?.terminals ?? ''}
        note={words.limitNote}
        error={toError('limits.terminals')}
      />
      <Field
        label={words.storage}
        name="storage"
        type="number"
        min={0}
        defaultValue={limits?.storage_mib ?? ''}
        note={words.limitNote}
        error={toError('limits.storage_mib')}
      />
      <FieldGroup label={words.regions} error={toError('limits.regions')} className="grid gap-1">
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
