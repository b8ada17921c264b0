import { abilities } from '@berth/contract/values';
import type { Ability, CreatedToken } from '@berth/client';
import { useState, type FormEvent } from 'react';
import { berth } from '../../../data/berth.ts';
import { isBlank, readForm, useForm } from '../../../data/form.ts';
import { keys } from '../../../data/keys.ts';
import { serverNow } from '../../../data/server-clock.ts';
import { FormFailure } from '../../../parts/form-failure.tsx';
import { FormFoot } from '../../../parts/dialog.tsx';
import { Field, FieldGroup, Select } from '../../../parts/field.tsx';
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
  error: string | undefined;
}

const ScopeChoice = ({ chosen, onChange, error }: ScopeChoiceProps) => (
  <FieldGroup label={words.scopes} error={error}>
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
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const { name = '', days = '' } = readForm(event);
    form.submit({ name, abilities: chosen, days: Number(days) });
  };
  return (
    <form {...form.props} className="grid gap-4" onSubmit={submit}>
      <FormFailure error={form.error} fields={['name', 'expires_at', 'abilities']} />
      <Field
        label={words.name}
        name="name"
        required
        autoFocus
        maxLength={255}
        autoComplete="off"
        note={words.nameNote}
        error={form.toError('name')}
      />
      <ScopeChoice chosen={chosen} onChange={setChosen} error={form.toError('abilities')} />
      <Select label={words.expires} name="days" defaultValue="90" error={form.toError('expires_at')}>
        {lifetimes.map((days) => (
          <option key={days} value={days}>
            {words.lifetimes[days]}
          </option>
        ))}
      </Select>
      <FormFoot onClose={onClose} isBusy={form.isRunning}>
        {words.create}
      </FormFoot>
    </form>
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
