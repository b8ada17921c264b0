/** What is asked about a host: its settings, taking it out of service and back, removing it. */
import { HostStatus } from '@berth/contract/values';
import type { Host } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../data/berth.ts';
import { isBlank, isWithin, useForm } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { serverNow } from '../../data/server-clock.ts';
import { Check, RadioChoices } from '../../parts/check.tsx';
import { Field } from '../../parts/field.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Confirm, ItemDialog } from '../../parts/item-dialog.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import { HostGraphs } from './host-graphs.tsx';
import { useEndDrain, useRetire } from './hosts-data.ts';

const words = pageTexts.hosts;
export const MAX_CAPACITY = 10_000;
const MAX_MINUTES = 10_080;
const MINUTE_MS = 60_000;

interface HostProps {
  host: Host;
  onClose: () => void;
}

const SettingsForm = ({ host, onClose }: HostProps) => {
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
    <DialogForm form={form} fields={['name', 'capacity']} verb={texts.save} onClose={onClose}>
      <Field label={words.name} name="name" required autoFocus maxLength={64} defaultValue={host.name} />
      <Field
        label={words.capacity}
        name="capacity"
        type="number"
        min={1}
        max={MAX_CAPACITY}
        defaultValue={host.capacity ?? ''}
        note={words.capacityOf(host.memory_capacity ?? null)}
      />
    </DialogForm>
  );
};

const toMinutesLeft = (deadline: string | null | undefined): number | '' =>
  deadline ? Math.max(1, Math.round((Date.parse(deadline) - serverNow()) / MINUTE_MS)) : '';

/** Nothing is chosen beforehand: whether terminals stop is said, never assumed. A change begins with what is in force. */
const DrainForm = ({ host, onClose }: HostProps) => {
  const form = useForm({
    check: ({ terminals, deadline_minutes: minutes }: Record<string, string>) => ({
      terminals: isBlank(terminals) ? words.enterDrainChoice : undefined,
      deadline_minutes: isBlank(minutes) || isWithin(minutes, 1, MAX_MINUTES) ? undefined : words.enterMinutes,
    }),
    run: ({ terminals, deadline_minutes: minutes }: Record<string, string>) =>
      berth.operator.hosts.drain(host.id, {
        terminals: terminals as keyof typeof words.drainChoices,
        ...(isBlank(minutes) ? {} : { deadline_minutes: Number(minutes) }),
      }),
    done: ({ name }) => words.drainBegun(isolate(name)),
    touches: () => [keys.hosts.all],
    onDone: onClose,
  });
  const fields = ['terminals', 'deadline_minutes'];
  return (
    <DialogForm
      form={form}
      fields={fields}
      verb={host.drain ? words.changeDrainVerb : words.drainVerb}
      kind="destroy"
      onClose={onClose}
    >
      <RadioChoices
        label={words.drainChoice(host.terminals)}
        name="terminals"
        choices={words.drainChoices}
        {...(host.drain ? { chosen: host.drain.terminals } : {})}
      />
      <Field
        label={words.deadline}
        name="deadline_minutes"
        type="number"
        min={1}
        max={MAX_MINUTES}
        defaultValue={toMinutesLeft(host.drain?.deadline_at)}
        note={words.deadlineNote}
      />
    </DialogForm>
  );
};

interface DialogProps {
  host: Host | undefined;
  onClose: () => void;
}

const EndDrain = ({ host, onClose }: DialogProps) => {
  const [uncordon, setUncordon] = useState(true);
  const { run, isRunning } = useEndDrain(onClose);
  return (
    <Confirm
      item={host}
      title={({ name }) => words.endDrainTitle(isolate(name))}
      lead={words.endDrainLead}
      verb={words.endDrainVerb}
      kind="primary"
      action={{ run: (one) => run({ host: one, uncordon }), isRunning }}
      onClose={onClose}
    >
      <Check label={words.uncordonToo} isOn={uncordon} onChange={setUncordon} />
    </Confirm>
  );
};

const RetireLead = ({ host }: { host: Host }) => (
  <>
    {words.retireLead(host.terminals)}
    {host.status === HostStatus.ONLINE ? <b className="block text-danger">{words.retireOnline}</b> : null}
  </>
);

export type Question = 'settings' | 'usage' | 'drain' | 'endDrain' | 'retire';

export interface Asked {
  question: Question;
  host: Host;
}
export type Ask = (question: Question, host: Host) => void;

export const HostDialogs = ({ asked, onClose }: { asked: Asked | undefined; onClose: () => void }) => {
  const of = (question: Question) => (asked?.question === question ? asked.host : undefined);
  const retire = useRetire(onClose);
  return (
    <>
      <ItemDialog item={of('settings')} title={({ name }) => words.settingsTitle(isolate(name))} onClose={onClose}>
        {(host) => <SettingsForm host={host} onClose={onClose} />}
      </ItemDialog>
      <HostGraphs host={of('usage')} onClose={onClose} />
      <ItemDialog
        item={of('drain')}
        title={({ name, drain }) => (drain ? words.changeDrainTitle : words.drainTitle)(isolate(name))}
        lead={words.drainLead}
        onClose={onClose}
      >
        {(host) => <DrainForm host={host} onClose={onClose} />}
      </ItemDialog>
      <EndDrain host={of('endDrain')} onClose={onClose} />
      <Confirm
        item={of('retire')}
        title={({ name }) => words.retireTitle(isolate(name))}
        lead={(host) => <RetireLead host={host} />}
        typed={({ name }) => name}
        verb={words.retire}
        action={retire}
        onClose={onClose}
      />
    </>
  );
};
