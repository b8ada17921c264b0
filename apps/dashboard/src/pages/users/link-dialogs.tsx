/** What makes a link with which a user sets a password: a new user, or another link. */
import type { ManagedUser, PasswordLink } from '@berth/client';
import { useState } from 'react';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { isBlank, isEmail, useForm } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { FormFoot } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { Moment } from '../../parts/zone.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { findLimitErrors, LimitFields, limitNames, toLimits } from './limit-fields.tsx';

const words = pageTexts.users;

interface Made {
  name: string;
  link: PasswordLink;
}

interface FormProps {
  onMade: (made: Made) => void;
  onClose: () => void;
}

const fields = ['name', 'email', 'external_id', ...limitNames];

const CreateForm = ({ onMade, onClose }: FormProps) => {
  const [regions, setRegions] = useState<readonly number[]>([]);
  const form = useForm({
    check: (values: Record<string, string>) => ({
      name: (values.name ?? '').trim().length < 3 ? words.enterName : undefined,
      email: isEmail(values.email) ? undefined : words.enterEmail,
      ...findLimitErrors(values),
    }),
    run: async (values: Record<string, string>): Promise<Made> => {
      const { name = '', email = '', external_id } = values;
      const id = isBlank(external_id) ? {} : { external_id };
      const limits = toLimits(values, regions);
      const made = await berth.operator.users.create({ name, email, ...id, limits });
      return { name: made.user.name, link: made.password_link };
    },
    touches: () => [keys.users.all],
    onDone: onMade,
  });
  return (
    <DialogForm form={form} fields={fields} verb={words.create} onClose={onClose}>
      <Field label={words.name} name="name" required autoFocus maxLength={255} />
      <Field label={words.email} name="email" type="email" required />
      <Field label={words.externalId} name="external_id" maxLength={255} note={words.externalIdNote} />
      <LimitFields regions={regions} onRegions={setRegions} />
    </DialogForm>
  );
};

const LinkForm = ({ user, onMade, onClose }: FormProps & { user: ManagedUser }) => {
  const make = useAction({
    run: () => berth.operator.users.createPasswordLink(user.id),
    onDone: (link: PasswordLink) => onMade({ name: user.name, link }),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        make.run(undefined);
      }}
    >
      <FormFoot onClose={onClose} isBusy={make.isRunning}>
        {words.makeLink}
      </FormFoot>
    </form>
  );
};

const after = { title: words.linkReady, label: words.link, done: words.done };
const toLinkNote = ({ name, link }: Made) => (
  <p className="text-ink-2">
    {words.linkLead(isolate(name))} {words.linkExpires} <Moment at={link.expires_at} />.
  </p>
);

export const CreateDialog = (props: { isOpen: boolean; onClose: () => void }) => (
  <SecretDialog<Made>
    {...props}
    before={{ title: words.create, lead: words.createLead }}
    after={after}
    toSecret={({ link }) => link.url}
    note={toLinkNote}
  >
    {(onMade, onClose) => <CreateForm onMade={onMade} onClose={onClose} />}
  </SecretDialog>
);

export const LinkDialog = ({ user, onClose }: { user: ManagedUser | undefined; onClose: () => void }) => (
  <SecretDialog<Made>
    isOpen={user !== undefined}
    onClose={onClose}
    before={{ title: words.passwordLinkTitle(isolate(user?.name ?? '')), lead: words.passwordLinkLead }}
    after={after}
    toSecret={({ link }) => link.url}
    note={toLinkNote}
  >
    {(onMade, close) => (user ? <LinkForm user={user} onMade={onMade} onClose={close} /> : null)}
  </SecretDialog>
);
