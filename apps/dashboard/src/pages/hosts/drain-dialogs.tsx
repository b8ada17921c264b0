/** Taking a host out of service, and back. */
import type { Host } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../data/berth.ts';
import { isBlank, isWithin, readForm, useForm } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { Button } from '../../parts/button.tsx';
import { Check } from '../../parts/check.tsx';
import { Dialog, FormFoot } from '../../parts/dialog.tsx';
import { Field, FieldGroup } from '../../parts/field.tsx';
import { FormFailure } from '../../parts/form-failure.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { useEndDrain } from './hosts-data.ts';

const words = pageTexts.hosts;
const MAX_MINUTES = 10_080;
type Choice = keyof typeof words.drainChoices;
const choices = Object.keys(words.drainChoices) as Choice[];

interface DialogProps {
  host: Host | undefined;
  onClose: () => void;
}

/** Nothing is chosen beforehand: whether terminals stop is said, never assumed. */
const DrainForm = ({ host, onClose }: { host: Host; onClose: () => void }) => {
  const form = useForm({
    check: ({ terminals, deadline_minutes: minutes }: Record<string, string>) => ({
      terminals: isBlank(terminals) ? words.enterDrainChoice : undefined,
      deadline_minutes: isBlank(minutes) || isWithin(minutes, 1, MAX_MINUTES) ? undefined : words.enterMinutes,
    }),
    run: ({ terminals, deadline_minutes: minutes }: Record<string, string>) =>
      berth.operator.hosts.drain(host.id, {
        terminals: terminals as Choice,
        ...(isBlank(minutes) ? {} : { deadline_minutes: Number(minutes) }),
      }),
    done: ({ name }) => words.drainBegun(isolate(name)),
    touches: () => [keys.hosts.all],
    onDone: onClose,
  });
  return (
    <form {...form.props} className="grid gap-4" onSubmit={(event) => form.submit(readForm(event))}>
      <FormFailure error={form.error} fields={['terminals', 'deadline_minutes']} />
      <FieldGroup label={words.drainChoice(host.terminals)} error={form.toError('terminals')}>
        {choices.map((choice) => (
          <label key={choice} className="choice">
            <input type="radio" name="terminals" value={choice} />
            <span>
              {words.drainChoices[choice][0]}
              <small className="block">{words.drainChoices[choice][1]}</small>
            </span>
          </label>
        ))}
      </FieldGroup>
      <Field
        label={words.deadline}
        name="deadline_minutes"
        type="number"
        min={1}
        max={MAX_MINUTES}
        note={words.deadlineNote}
        error={form.toError('deadline_minutes')}
      />
      <FormFoot onClose={onClose} kind="destroy" isBusy={form.isRunning}>
        {words.drainVerb}
      </FormFoot>
    </form>
  );
};

export const DrainDialog = ({ host, onClose }: DialogProps) => (
  <Dialog
    title={words.drainTitle(isolate(host?.name ?? ''))}
    description={words.drainLead}
    isOpen={host !== undefined}
    onClose={onClose}
    hasOwnActions
  >
    {host ? <DrainForm host={host} onClose={onClose} /> : null}
  </Dialog>
);

export const EndDrainDialog = ({ host, onClose }: DialogProps) => {
  const [uncordon, setUncordon] = useState(true);
  const end = useEndDrain(onClose);
  return (
    <Dialog
      title={words.endDrainTitle(isolate(host?.name ?? ''))}
      description={words.endDrainLead}
      isOpen={host !== undefined}
      onClose={onClose}
      actions={
        <Button kind="primary" isBusy={end.isRunning} onClick={() => (host ? end.run({ host, uncordon }) : undefined)}>
          {words.endDrainVerb}
        </Button>
      }
    >
      <Check label={words.uncordonToo} isOn={uncordon} onChange={setUncordon} />
    </Dialog>
  );
};
