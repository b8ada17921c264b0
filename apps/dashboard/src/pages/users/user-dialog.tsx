/** What changes a user: limits, a role, a suspension, signing out, closing the account. */
import type { ManagedUser } from '@berth/client';
import { useState, type ComponentType } from 'react';
import { berth } from '../../data/berth.ts';
import { isBlank, useForm, type FormOptions } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { RadioChoices } from '../../parts/check.tsx';
import { Field } from '../../parts/field.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Confirm, ItemDialog } from '../../parts/item-dialog.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import { findLimitErrors, LimitFields, limitNames, toLimits } from './limit-fields.tsx';
import type { UserAction } from './user-table.tsx';
import { useSignOut } from './users-data.ts';

const words = pageTexts.users;
type Values = Record<string, string>;

interface UserProps {
  user: ManagedUser;
  onClose: () => void;
}

const useUserForm = (
  options: Pick<FormOptions<Values, ManagedUser>, 'check' | 'run' | 'onDone'>,
  done: (name: string) => string,
) => useForm({ ...options, done: ({ name }) => done(isolate(name)), touches: () => [keys.users.all, keys.session] });

const LimitsForm = ({ user, onClose }: UserProps) => {
  const [regions, setRegions] = useState<readonly number[]>(user.limits.regions ?? []);
  const run = (values: Values) => berth.operator.users.update(user.id, { limits: toLimits(values, regions) });
  const form = useUserForm({ check: findLimitErrors, run, onDone: onClose }, words.saved);
  return (
    <DialogForm form={form} fields={limitNames} verb={texts.save} onClose={onClose}>
      <LimitFields limits={user.limits} regions={regions} onRegions={setRegions} />
    </DialogForm>
  );
};

const RoleForm = ({ user, onClose }: UserProps) => {
  const run = ({ role }: Values) =>
    berth.operator.users.update(user.id, { role: role === 'none' ? null : (role as ManagedUser['role']) });
  const form = useUserForm({ check: () => ({}), run, onDone: onClose }, words.roleSaved);
  return (
    <DialogForm form={form} fields={['role']} verb={texts.save} onClose={onClose}>
      <RadioChoices label={words.roleLabel} name="role" choices={words.roleNotes} chosen={user.role ?? 'none'} />
    </DialogForm>
  );
};

const Reason = ({ name }: { name: string }) => (
  <Field label={words.reason} name={name} required autoFocus maxLength={500} note={words.reasonNote} />
);

const CloseForm = ({ user, onClose }: UserProps) => {
  const check = ({ reason }: Values) => ({ reason: isBlank(reason) ? words.enterReason : undefined });
  const run = ({ reason = '' }: Values) => berth.operator.users.close(user.id, { reason });
  const form = useUserForm({ check, run, onDone: onClose }, words.closed);
  return (
    <DialogForm form={form} fields={['reason']} verb={words.closeVerb} kind="destroy" onClose={onClose}>
      <Reason name="reason" />
    </DialogForm>
  );
};

const REASON = 'suspension.reason';
const TERMINALS = 'suspension.terminals';

/** Nothing is chosen beforehand: what happens to money is said, never assumed. */
const SuspendForm = ({ user, onClose }: UserProps) => {
  const check = ({ [REASON]: reason, [TERMINALS]: terminals }: Values) => ({
    [REASON]: isBlank(reason) ? words.enterReason : undefined,
    [TERMINALS]: isBlank(terminals) ? words.enterChoice : undefined,
  });
  const run = ({ [REASON]: reason = '', [TERMINALS]: terminals }: Values) =>
    berth.operator.users.update(user.id, {
      status: 'suspended',
      suspension: { reason, terminals: terminals as keyof typeof words.choices },
    });
  const form = useUserForm({ check, run, onDone: onClose }, words.suspended);
  return (
    <DialogForm form={form} fields={[REASON, TERMINALS]} verb={words.suspendVerb} kind="destroy" onClose={onClose}>
      <Reason name={REASON} />
      <RadioChoices label={words.choice(user.terminals)} name={TERMINALS} choices={words.choices} />
    </DialogForm>
  );
};

type FormAction = Exclude<UserAction, 'link' | 'signOut'>;
const forms: Record<FormAction, { title: (name: string) => string; lead: string; Form: ComponentType<UserProps> }> = {
  limits: { title: words.limitsTitle, lead: words.limitsLead, Form: LimitsForm },
  role: { title: words.roleTitle, lead: words.roleLead, Form: RoleForm },
  suspend: { title: words.suspendTitle, lead: words.suspendLead, Form: SuspendForm },
  close: { title: words.closeTitle, lead: words.closeLead, Form: CloseForm },
};

/** What is asked about a user; `link` has a dialog of its own. */
export interface AskedUser {
  action: UserAction;
  user: ManagedUser;
}

const isForm = (asked: AskedUser | undefined): asked is AskedUser & { action: FormAction } =>
  asked !== undefined && asked.action in forms;

export const UserDialog = ({ asked, onClose }: { asked: AskedUser | undefined; onClose: () => void }) => {
  const signOut = useSignOut(onClose);
  return (
    <>
      <ItemDialog
        item={isForm(asked) ? asked : undefined}
        title={({ action, user }) => forms[action].title(isolate(user.name))}
        lead={({ action }) => forms[action].lead}
        onClose={onClose}
      >
        {({ action, user }) => {
          const { Form } = forms[action];
          return <Form user={user} onClose={onClose} />;
        }}
      </ItemDialog>
      <Confirm
        item={asked?.action === 'signOut' ? asked.user : undefined}
        title={({ name }) => words.signOutTitle(isolate(name))}
        lead={words.signOutLead}
        verb={words.signOut}
        action={signOut}
        onClose={onClose}
      />
    </>
  );
};
