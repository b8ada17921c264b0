/** What changes a user: limits, a suspension, signing out. */
import type { ManagedUser } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../data/berth.ts';
import { isBlank, readForm, useForm } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, FormFoot } from '../../parts/dialog.tsx';
import { Field, FieldGroup } from '../../parts/field.tsx';
import { FormFailure } from '../../parts/form-failure.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import { findLimitErrors, LimitFields, toLimits } from './limit-fields.tsx';
import { useSignOut } from './users-data.ts';

const words = pageTexts.users;

interface UserProps {
  user: ManagedUser;
  onClose: () => void;
}

const LimitsForm = ({ user, onClose }: UserProps) => {
  const [regions, setRegions] = useState<readonly number[]>(user.limits.regions ?? []);
  const form = useForm({
    check: findLimitErrors,
    run: (values: Record<string, string>) =>
      berth.operator.users.update(user.id, { limits: toLimits(values, regions) }),
    done: ({ name }) => words.saved(isolate(name)),
    touches: () => [keys.users.all],
    onDone: onClose,
  });
  return (
    <form {...form.props} className="grid gap-4" onSubmit={(event) => form.submit(readForm(event))}>
      <FormFailure error={form.error} fields={['limits.terminals', 'limits.storage_mib', 'limits.regions']} />
      <LimitFields limits={user.limits} regions={regions} onRegions={setRegions} toError={form.toError} />
      <FormFoot onClose={onClose} isBusy={form.isRunning}>
        {texts.save}
      </FormFoot>
    </form>
  );
};

type Choice = keyof typeof words.choices;
const choices = Object.keys(words.choices) as Choice[];

/** Nothing is chosen beforehand: what happens to money is said, never assumed. */
const SuspendForm = ({ user, onClose }: UserProps) => {
  const form = useForm({
    check: ({ reason, terminals }: Record<string, string>) => ({
      'suspension.reason': isBlank(reason) ? words.enterReason : undefined,
      'suspension.terminals': isBlank(terminals) ? words.enterChoice : undefined,
    }),
    run: ({ reason = '', terminals }: Record<string, string>) =>
      berth.operator.users.update(user.id, {
        status: 'suspended',
        suspension: { reason, terminals: terminals as Choice },
      }),
    done: ({ name }) => words.suspended(isolate(name)),
    touches: () => [keys.users.all],
    onDone: onClose,
  });
  return (
    <form {...form.props} className="grid gap-4" onSubmit={(event) => form.submit(readForm(event))}>
      <FormFailure error={form.error} fields={['suspension.reason', 'suspension.terminals']} />
      <Field
        label={words.reason}
        name="reason"
        required
        autoFocus
        maxLength={500}
        autoComplete="off"
        note={words.reasonNote}
        error={form.toError('suspension.reason')}
      />
      <FieldGroup label={words.choice(user.terminals)} error={form.toError('suspension.terminals')}>
        {choices.map((choice) => (
          <label key={choice} className="choice">
            <input type="radio" name="terminals" value={choice} />
            <span>
              {words.choices[choice][0]}
              <small className="block">{words.choices[choice][1]}</small>
            </span>
          </label>
        ))}
      </FieldGroup>
      <FormFoot onClose={onClose} kind="destroy" isBusy={form.isRunning}>
        {words.suspendVerb}
      </FormFoot>
    </form>
  );
};

interface DialogProps {
  user: ManagedUser | undefined;
  onClose: () => void;
}

export const LimitsDialog = ({ user, onClose }: DialogProps) => (
  <Dialog
    title={words.limitsTitle(isolate(user?.name ?? ''))}
    description={words.limitsLead}
    isOpen={user !== undefined}
    onClose={onClose}
    hasOwnActions
  >
    {user ? <LimitsForm user={user} onClose={onClose} /> : null}
  </Dialog>
);

export const SuspendDialog = ({ user, onClose }: DialogProps) => (
  <Dialog
    title={words.suspendTitle(isolate(user?.name ?? ''))}
    description={words.suspendLead}
    isOpen={user !== undefined}
    onClose={onClose}
    hasOwnActions
  >
    {user ? <SuspendForm user={user} onClose={onClose} /> : null}
  </Dialog>
);

export const SignOutDialog = ({ user, onClose }: DialogProps) => {
  const signOut = useSignOut(onClose);
  return (
    <Dialog
      title={words.signOutTitle(isolate(user?.name ?? ''))}
      description={words.signOutLead}
      isOpen={user !== undefined}
      onClose={onClose}
      actions={
        <Button kind="destroy" isBusy={signOut.isRunning} onClick={() => (user ? signOut.run(user) : undefined)}>
          {words.signOut}
        </Button>
      }
    />
  );
};
