import { Berth } from '@berth/client';
import { berth } from '../../data/berth.ts';
import { isEmail, readForm, useForm } from '../../data/form.ts';
import { FormFailure } from '../../parts/form-failure.tsx';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { NewPasswordField } from '../../parts/new-password.tsx';
import { texts } from '../../texts/texts.ts';
import { OutsideLink } from './outside-link.tsx';
import { CenteredPage } from './plain-pages.tsx';
import { useEnter } from './sign-in-form.ts';

const { signIn } = texts;

/** The API answers a registration with a token, which a page neither needs nor keeps: it is revoked immediately. */
const register = async ({ name = '', email = '', password = '' }: Record<string, string>): Promise<void> => {
  const { token } = await berth.auth.register({ name, email, password });
  await berth.auth.login({ email, password, session: true });
  await new Berth({ baseUrl: berth.baseUrl, token }).auth.logout().catch(() => undefined);
};

export const RegisterPage = () => {
  const enter = useEnter();
  const form = useForm({
    check: ({ name = '', email, password = '' }) => ({
      name: name.trim().length < 3 ? signIn.enterName : undefined,
      email: isEmail(email) ? undefined : signIn.enterEmail,
      password: password.length < 6 ? signIn.tooShort : undefined,
    }),
    run: async (values: Record<string, string>) => {
      await register(values);
      await enter();
    },
  });
  return (
    <CenteredPage title={signIn.register.title}>
      <FormFailure error={form.error} fields={['name', 'email', 'password']} />
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
          required
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
          {signIn.create}
        </Button>
      </form>
      <OutsideLink to="/sign-in" className="justify-self-start text-size-1">
        {signIn.toSignIn}
      </OutsideLink>
    </CenteredPage>
  );
};
