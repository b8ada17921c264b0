import { berth } from '../../data/berth.ts';
import { isBlank, isEmail, readForm, useForm } from '../../data/form.ts';
import { takeLinkCode } from '../../data/link-code.ts';
import { Banner } from '../../parts/banner.tsx';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { FormFailure } from '../../parts/form-failure.tsx';
import { NewPasswordField } from '../../parts/new-password.tsx';
import { texts } from '../../texts/texts.ts';
import { OutsideLink } from './outside-link.tsx';
import { CenteredPage } from './plain-pages.tsx';
import { useEnter } from './sign-in-form.ts';

const { signIn } = texts;
const words = signIn.invitation;

/** A reload has it no more: the link has to be opened again. */
const code = takeLinkCode('invitation');

const accept = async ({ name = '', email, password = '' }: Record<string, string>): Promise<void> => {
  const address = isBlank(email) ? {} : { email };
  const account = await berth.auth.acceptInvitation({ code: code ?? '', name, password, ...address });
  await berth.auth.login({ email: account.email, password, session: true });
};

/** Creates the account of somebody whom an operator has invited. */
export const InvitationPage = () => {
  const enter = useEnter();
  const form = useForm({
    check: ({ name = '', email, password = '' }) => ({
      name: name.trim().length < 3 ? signIn.enterName : undefined,
      email: isBlank(email) || isEmail(email) ? undefined : signIn.enterEmail,
      password: password.length < 6 ? signIn.tooShort : undefined,
    }),
    run: async (values: Record<string, string>) => {
      await accept(values);
      await enter();
    },
  });
  if (code === undefined) {
    return (
      <CenteredPage title={words.title}>
        <Banner kind="news">{words.openAgain}</Banner>
        <OutsideLink to="/sign-in" className="justify-self-start text-size-1">
          {signIn.toSignIn}
        </OutsideLink>
      </CenteredPage>
    );
  }
  const failure = form.toError('code');
  return (
    <CenteredPage title={words.title}>
      {failure === undefined ? null : <Banner kind="failure">{failure}</Banner>}
      <FormFailure error={form.error} fields={['code', 'name', 'email', 'password']} />
      <form {...form.props} className="grid gap-4" onSubmit={(event) => form.submit(readForm(event))}>
        <Field
          label={signIn.name}
          name="name"
          autoComplete="name"
          required
          maxLength={255}
          autoFocus
          note={signIn.register.nameNote}
          error={form.toError('name')}
        />
        <Field
          label={signIn.email}
          name="email"
          type="email"
          autoComplete="username"
          note={words.emailNote}
          error={form.toError('email')}
        />
        <NewPasswordField
          label={signIn.password}
          name="password"
          required
          note={signIn.register.passwordNote}
          error={form.toError('password')}
        />
        <Button type="submit" kind="primary" isBusy={form.isRunning}>
          {signIn.register.title}
        </Button>
      </form>
    </CenteredPage>
  );
};
