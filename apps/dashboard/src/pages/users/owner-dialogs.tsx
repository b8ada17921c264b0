/** What only owners do: the roles of operators, and closing an account. */
import type { ManagedUser } from '@berth/client';
import { berth } from '../../data/berth.ts';
import { isBlank, readForm, useForm } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { Dialog, FormFoot } from '../../parts/dialog.tsx';
import { Field, FieldGroup } from '../../parts/field.tsx';
import { FormFailure } from '../../parts/form-failure.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';

const words = pageTexts.users;

interface UserProps {
  user: ManagedUser;
  onClose: () => void;
}

type RoleChoice = keyof typeof words.roleNotes;
const roleChoices = Object.keys(words.roleNotes) as RoleChoice[];

const RoleForm = ({ user, onClose }: UserProps) => {
  const form = useForm({
    check: () => ({}),
    run: ({ role }: Record<string, string>) =>
      berth.operator.users.update(user.id, { role: role === 'none' ? null : (role as ManagedUser['role']) }),
    done: ({ name }) => words.roleSaved(isolate(name)),
    touches: () => [keys.users.all, keys.session],
    onDone: onClose,
  });
  return (
    <form {...form.props} className="grid gap-4" onSubmit={(event) => form.submit(readForm(event))}>
      <FormFailure error={form.error} fields={['role']} />
      <FieldGroup label={words.roleLabel} error={form.toError('role')}>
        {roleChoices.map((choice) => (
          <label key={choice} className="choice">
            <input type="radio" name="role" value={choice} defaultChecked={choice === (user.role ?? 'none')} />
            <span>
              {words.roleNotes[choice][0]}
              <small className="block">{words.roleNotes[choice][1]}</small>
            </span>
          </label>
        ))}
      </FieldGroup>
      <FormFoot onClose={onClose} isBusy={form.isRunning}>
        {texts.save}
      </FormFoot>
    </form>
  );
};

const CloseForm = ({ user, onClose }: UserProps) => {
  const form = useForm({
    check: ({ reason }: Record<string, string>) => ({ reason: isBlank(reason) ? words.enterReason : undefined }),
    run: ({ reason = '' }: Record<string, string>) => berth.operator.users.close(user.id, { reason }),
    done: ({ name }) => words.closed(isolate(name)),
    touches: () => [keys.users.all],
    onDone: onClose,
  });
  return (
    <form {...form.props} className="grid gap-4" onSubmit={(event) => form.submit(readForm(event))}>
      <FormFailure error={form.error} fields={['reason']} />
      <Field
        label={words.reason}
        name="reason"
        required
        autoFocus
        maxLength={500}
        autoComplete="off"
        note={words.reasonNote}
        error={form.toError('reason')}
      />
      <FormFoot onClose={onClose} kind="destroy" isBusy={form.isRunning}>
        {words.closeVerb}
      </FormFoot>
    </form>
  );
};

interface DialogProps {
  user: ManagedUser | undefined;
  onClose: () => void;
}

export const RoleDialog = ({ user, onClose }: DialogProps) => (
  <Dialog
    title={words.roleTitle(isolate(user?.name ?? ''))}
    description={words.roleLead}
    isOpen={user !== undefined}
    onClose={onClose}
    hasOwnActions
  >
    {user ? <RoleForm user={user} onClose={onClose} /> : null}
  </Dialog>
);

export const CloseDialog = ({ user, onClose }: DialogProps) => (
  <Dialog
    title={words.closeTitle(isolate(user?.name ?? ''))}
    description={words.closeLead}
    isOpen={user !== undefined}
    onClose={onClose}
    hasOwnActions
  >
    {user ? <CloseForm user={user} onClose={onClose} /> : null}
  </Dialog>
);
