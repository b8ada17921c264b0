/** Asks for the password again, before what destroys or reveals (`data/confirmation.ts`). */
import { berth } from '../data/berth.ts';
import { answerAsking } from '../data/confirmation.ts';
import { isBlank, readForm, useForm } from '../data/form.ts';
import { useUser } from '../data/session.ts';
import { Dialog, FormFoot } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { FormFailure } from '../parts/form-failure.tsx';
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
    <form {...form.props} className="grid gap-4" onSubmit={(event) => form.submit(readForm(event))}>
      <FormFailure error={form.error} fields={['password']} />
      <input type="hidden" name="username" autoComplete="username" value={email} />
      <Field
        label={words.label}
        name="password"
        type="password"
        required
        autoFocus
        autoComplete="current-password"
        error={form.toError('password')}
      />
      <FormFoot onClose={cancel} isBusy={form.isRunning}>
        {words.confirm}
      </FormFoot>
    </form>
  );
};

export const PasswordDialog = ({ isOpen }: { isOpen: boolean }) => (
  <Dialog title={words.title} description={words.lead} isOpen={isOpen} onClose={cancel} hasOwnActions isAbove>
    <PasswordForm />
  </Dialog>
);
