import { useQuery } from '@tanstack/react-query';
import { berth } from '../../data/berth.ts';
import { isEmail, useForm } from '../../data/form.ts';
import { signInOptionsQuery } from '../../data/session.ts';
import { Banner } from '../../parts/banner.tsx';
import { Field } from '../../parts/field.tsx';
import { texts } from '../../texts/texts.ts';
import { OutsideLink } from './outside-link.tsx';
import { CenteredPage } from './plain-pages.tsx';
import { toSignInSearch } from './search.ts';
import { SignInForm, useEnter } from './sign-in-form.tsx';

const { signIn } = texts;

/** What else a visitor can do: registering is offered only where it is open. */
const OtherWays = () => {
  const { data } = useQuery({ ...signInOptionsQuery, staleTime: Infinity });
  return (
    <p className="flex min-h-6 flex-wrap justify-between gap-3 text-size-1">
      <OutsideLink to="/forgot-password">{signIn.forgot}</OutsideLink>
      {data?.is_registration_open ? <OutsideLink to="/create-account">{signIn.create}</OutsideLink> : null}
      {data?.is_registration_open === false ? <span className="text-ink-2">{signIn.closed}</span> : null}
    </p>
  );
};

export const SignInPage = () => {
  const { back, why } = toSignInSearch(Object.fromEntries(new URLSearchParams(location.search)));
  const enter = useEnter();
  const form = useForm({
    check: ({ email, password }) => ({
      email: isEmail(email) ? undefined : signIn.enterEmail,
      password: password ? undefined : signIn.enterPassword,
    }),
    run: async ({ email = '', password = '' }: Record<string, string>) => {
      await berth.auth.login({ email, password, session: true });
      await enter(back);
    },
  });
  return (
    <CenteredPage title={signIn.title}>
      {why === undefined || form.error !== null ? null : <Banner kind="news">{signIn.why[why]}</Banner>}
      <SignInForm form={form} fields={['email', 'password']} verb={signIn.submit}>
        <Field
          label={signIn.email}
          name="email"
          type="email"
          autoComplete="username"
          required
          autoFocus
          error={form.toError('email') && (form.error ? signIn.wrong : signIn.enterEmail)}
        />
        <Field label={signIn.password} name="password" type="password" autoComplete="current-password" required />
      </SignInForm>
      <OtherWays />
    </CenteredPage>
  );
};
