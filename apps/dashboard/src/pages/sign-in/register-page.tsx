import { Berth } from '@berth/client';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { readForm, toFieldError } from '../../data/form.ts';
import { FormFailure } from '../../parts/form-failure.tsx';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
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
  const { run, isRunning, error } = useAction({
    run: async (form: Record<string, string>) => {
      await register(form);
      await enter();
    },
    isSilentOnError: true,
  });
  return (
    <CenteredPage title={signIn.register.title}>
      <FormFailure error={error} fields={['name', 'email', 'password']} />
      <form className="grid gap-4" onSubmit={(event) => run(readForm(event))}>
        <Field
          label={signIn.name}
          name="name"
          autoComplete="name"
          required
          minLength={3}
          maxLength={255}
          autoFocus
          note={signIn.register.nameNote}
          error={toFieldError(error, 'name')}
        />
        <Field
          label={signIn.email}
          name="email"
          type="email"
          autoComplete="username"
          required
          error={toFieldError(error, 'email')}
        />
        <Field
          label={signIn.password}
          name="password"
          type="password"
          autoComplete="new-password"
          required
          minLength={6}
          note={signIn.register.passwordNote}
          error={toFieldError(error, 'password')}
        />
        <Button type="submit" kind="primary" isBusy={isRunning}>
          {signIn.create}
        </Button>
      </form>
      <OutsideLink to="/sign-in" className="justify-self-start text-size-1">
        {signIn.toSignIn}
      </OutsideLink>
    </CenteredPage>
  );
};
