import { abilities } from '@berth/contract/values';
import type { Ability, CreatedToken } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../../data/berth.ts';
import { isBlank, useForm } from '../../../data/form.ts';
import { keys } from '../../../data/keys.ts';
import { serverNow } from '../../../data/server-clock.ts';
import { Field, FieldGroup, Select } from '../../../parts/field.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { SecretDialog } from '../../../parts/secret-dialog.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';

const words = pageTexts.account.tokens;
const DAY_MS = 86_400_000;
const lifetimes = [7, 30, 90, 365, 0] as const;

interface Wanted {
  name: string;
  abilities: Ability[];
  days: number;
}

const create = ({ name, abilities: wanted, days }: Wanted): Promise<CreatedToken> =>
  berth.account.tokens.create({
    name,
    // Left out, it means all, including those of versions to come.
    ...(wanted.length === abilities.length ? {} : { abilities: wanted }),
    ...(days === 0 ? {} : { expires_at: new Date(serverNow() + days * DAY_MS).toISOString() }),
  });

interface ScopeChoiceProps {
  chosen: readonly Ability[];
  onChange: (next: Ability[]) => void;
}

const ScopeChoice = ({ chosen, onChange }: ScopeChoiceProps) => (
  <FieldGroup label={words.scopes} name="abilities">
    {abilities.map((ability) => (
      <label key={ability} className="choice">
        <input
          type="checkbox"
          checked={chosen.includes(ability)}
          onChange={({ target }) =>
            onChange(abilities.filter((other) => (other === ability ? target.checked : chosen.includes(other))))
          }
        />
        {words.scopeNames[ability]}
      </label>
    ))}
  </FieldGroup>
);

const TokenForm = ({ onCreated, onClose }: { onCreated: (token: CreatedToken) => void; onClose: () => void }) => {
  const [chosen, setChosen] = useState<Ability[]>(['read']);
  const form = useForm({
    check: ({ name, abilities: wanted }) => ({
      name: isBlank(name) ? words.enterName : undefined,
      abilities: wanted.length === 0 ? words.noScope : undefined,
    }),
    run: create,
    touches: () => [keys.account.all, keys.notifications.all],
    onDone: onCreated,
  });
  const toValues = ({ name = '', expires_at: days }: Record<string, string>) => ({
    name,
    abilities: chosen,
    days: Number(days),
  });
  return (
    <DialogForm
      form={form}
      fields={['name', 'expires_at', 'abilities']}
      toValues={toValues}
      verb={words.create}
      onClose={onClose}
    >
      <Field label={words.name} name="name" required autoFocus maxLength={255} note={words.nameNote} />
      <ScopeChoice chosen={chosen} onChange={setChosen} />
      <Select label={words.expires} name="expires_at" defaultValue="90">
        {lifetimes.map((days) => (
          <option key={days} value={days}>
            {words.lifetimes[days]}
          </option>
        ))}
      </Select>
    </DialogForm>
  );
};

/** Creates a token, and shows its secret once. */
export const CreateToken = (props: { isOpen: boolean; onClose: () => void }) => (
  <SecretDialog
    {...props}
    before={{ title: words.create }}
    after={{ title: words.created, lead: words.createdLead, label: words.secret, done: words.done }}
    toSecret={({ token }: CreatedToken) => token}
  >
    {(onCreated, onClose) => <TokenForm onCreated={onCreated} onClose={onClose} />}
  </SecretDialog>
);
