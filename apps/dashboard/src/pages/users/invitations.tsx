/** Invitations: making one, and those that nobody has accepted yet. */
import { useQuery } from '@tanstack/react-query';
import type { CreatedInvitation } from '@berth/client';
import { useState } from 'react';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { isBlank, isEmail, useForm } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { useWhyNot } from '../../data/session.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Moment } from '../../parts/zone.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { findLimitErrors, LimitFields, limitNames, toLimits } from './limit-fields.tsx';

const words = pageTexts.users;
const { invitationColumns: columns } = words;

interface FormProps {
  onMade: (made: CreatedInvitation) => void;
  onClose: () => void;
}

const InviteForm = ({ onMade, onClose }: FormProps) => {
  const [regions, setRegions] = useState<readonly number[]>([]);
  const form = useForm({
    check: (values: Record<string, string>) => ({
      email: isBlank(values.email) || isEmail(values.email) ? undefined : words.enterEmail,
      ...findLimitErrors(values),
    }),
    run: (values: Record<string, string>) => {
      const address = isBlank(values.email) ? {} : { email: values.email };
      return berth.operator.invitations.create({ ...address, limits: toLimits(values, regions) });
    },
    touches: () => [keys.users.invitations],
    onDone: onMade,
  });
  return (
    <DialogForm form={form} fields={['email', ...limitNames]} verb={words.makeInvitation} onClose={onClose}>
      <Field label={words.email} name="email" type="email" autoFocus note={words.inviteEmailNote} />
      <LimitFields regions={regions} onRegions={setRegions} />
    </DialogForm>
  );
};

export const InviteDialog = (props: { isOpen: boolean; onClose: () => void }) => (
  <SecretDialog<CreatedInvitation>
    {...props}
    before={{ title: words.inviteTitle, lead: words.inviteLead }}
    after={{ title: words.invitationReady, label: words.invitationLink, done: words.done }}
    toSecret={({ url }) => url}
    note={({ invitation }) => (
      <p className="text-ink-2">
        {words.invitationLinkLead} {words.linkExpires} <Moment at={invitation.expires_at} />.
      </p>
    )}
  >
    {(onMade, onClose) => <InviteForm onMade={onMade} onClose={onClose} />}
  </SecretDialog>
);

/** Nothing where there is none. */
export const OpenInvitations = () => {
  const { data = [] } = useQuery({
    queryKey: keys.users.invitations,
    queryFn: ({ signal }) => berth.operator.invitations.list({ signal }).toArray(),
  });
  const whyNot = useWhyNot('operator');
  const revoke = useAction({
    run: (id: string) => berth.operator.invitations.delete(id),
    done: () => words.revoked,
    touches: () => [keys.users.invitations],
  });
  if (data.length === 0) return null;
  return (
    <Sheet className="mb-3">
      <Table
        caption={words.invitations}
        columns={[columns.to, { number: columns.until }]}
        actions={columns.actions}
        items={data}
        expected={1}
      >
        {({ id, email, expires_at: until }) => (
          <tr key={id}>
            <td data-card="name" className="wide">
              <bdi>{email ?? words.anybody}</bdi>
            </td>
            <td className="num" data-card="below" data-label={columns.until}>
              <Time at={until} as="moment" />
            </td>
            <td data-card="end" className="num">
              <Button
                aria-label={words.revokeOf(email ?? words.anybody)}
                whyNot={whyNot}
                isBusy={revoke.isRunning}
                onClick={() => revoke.run(id)}
              >
                {words.revoke}
              </Button>
            </td>
          </tr>
        )}
      </Table>
    </Sheet>
  );
};
