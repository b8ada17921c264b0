/** What changes a host: its name and slots. */
import type { Host } from '@berth/client';
import { berth } from '../../data/berth.ts';
import { isBlank, isWithin, readForm, useForm } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { Dialog, FormFoot } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { FormFailure } from '../../parts/form-failure.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';

const words = pageTexts.hosts;
export const MAX_CAPACITY = 10_000;

interface HostProps {
  host: Host;
  onClose: () => void;
}

const Form = ({ host, onClose }: HostProps) => {
  const form = useForm({
    check: ({ name, capacity }: Record<string, string>) => ({
      name: isBlank(name) ? words.enterName : undefined,
      capacity: isBlank(capacity) || isWithin(capacity, 1, MAX_CAPACITY) ? undefined : words.enterCapacity,
    }),
    run: ({ name = '', capacity }: Record<string, string>) =>
      berth.operator.hosts.update(host.id, { name, capacity: isBlank(capacity) ? null : Number(capacity) }),
    done: ({ name }) => words.saved(isolate(name)),
    touches: () => [keys.hosts.all],
    onDone: onClose,
  });
  return (
    <form {...form.props} className="grid gap-4" onSubmit={(event) => form.submit(readForm(event))}>
      <FormFailure error={form.error} fields={['name', 'capacity']} />
      <Field
        label={words.name}
        name="name"
        required
        autoFocus
        maxLength={64}
        autoComplete="off"
        defaultValue={host.name}
        error={form.toError('name')}
      />
      <Field
        label={words.capacity}
        name="capacity"
        type="number"
        min={1}
        max={MAX_CAPACITY}
        defaultValue={host.capacity ?? ''}
        note={words.capacityOf(host.memory_capacity ?? null)}
        error={form.toError('capacity')}
      />
      <FormFoot onClose={onClose} isBusy={form.isRunning}>
        {texts.save}
      </FormFoot>
    </form>
  );
};

export const SettingsDialog = ({ host, onClose }: { host: Host | undefined; onClose: () => void }) => (
  <Dialog
    title={words.settingsTitle(isolate(host?.name ?? ''))}
    isOpen={host !== undefined}
    onClose={onClose}
    hasOwnActions
  >
    {host ? <Form host={host} onClose={onClose} /> : null}
  </Dialog>
);
