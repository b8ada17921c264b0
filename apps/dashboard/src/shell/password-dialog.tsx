/** Asks for the password again, before what destroys or reveals (`data/confirmation.ts`). */
import { berth } from '../data/berth.ts';
import { answerAsking } from '../data/confirmation.ts';
import { isBlank, useForm } from '../data/form.ts';
import { useUser } from '../data/session.ts';
import { DialogForm } from '../parts/dialog-form.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { pageTexts } from '../texts/page-texts.ts';

const words = pageTexts.frame.password;
const cancel = (): void => answerAsking(false);

const PasswordForm = () => {
  const { email } = useUser();
  const form = useForm({
    check: ({ password }: Record<string, string>) => ({ password: isBlank(password) ? words.enter : undefined }),
    run: ({ password = '' }: Record<string, string>) => berth.account.sessions.confirm(password),
    onDone: () => answerAsking(true),
  });
  return (
    <DialogForm form={form} fields={['password']} verb={words.confirm} onClose={cancel}>
      <input type="hidden" name="username" autoComplete="username" value={email} />
      <Field label={words.label} name="password" type="password" required autoFocus autoComplete="current-password" />
    </DialogForm>
  );
};

export const PasswordDialog = ({ isOpen }: { isOpen: boolean }) => (
  <Dialog title={words.title} description={words.lead} isOpen={isOpen} onClose={cancel} hasOwnActions isAbove>
    <PasswordForm />
  </Dialog>
);
