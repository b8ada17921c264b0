/** An account that somebody creates, alone or with an invitation, and the first password of one that was created. */
import { Berth } from '@berth/client';
import type { ReactNode } from 'react';
import { berth } from '../../data/berth.ts';
import { isBlank, isEmail, useForm, type Form } from '../../data/form.ts';
import { leave } from '../../data/leave.ts';
import { takeLinkCode } from '../../data/link-code.ts';
import { Banner } from '../../parts/banner.tsx';
import { Field } from '../../parts/field.tsx';
import { NewPasswordField } from '../../parts/new-password.tsx';
import { texts } from '../../texts/texts.ts';
import { CenteredPage } from './plain-pages.tsx';
import { BackToSignIn, SignInForm, useEnter } from './sign-in-form.tsx';

const { signIn } = texts;
type Values = Record<string, string>;

const toPasswordError = ({ password = '' }: Values) => (password.length < 6 ? signIn.tooShort : undefined);

/** @param isInvited then the address may be left out */
const useAccountForm = (create: (values: Values) => Promise<void>, isInvited: boolean): Form<Values> => {
  const enter = useEnter();
  return useForm({
    check: (values: Values) => ({
      name: (values.name ?? '').trim().length < 3 ? signIn.enterName : undefined,
      email: (isInvited && isBlank(values.email)) || isEmail(values.email) ? undefined : signIn.enterEmail,
      password: toPasswordError(values),
    }),
    run: async (values: Values) => {
      await create(values);
      await enter();
    },
  });
};

const AccountFields = ({ isInvited }: { isInvited: boolean }) => (
  <>
    <Field
      label={signIn.name}
      name="name"
      autoComplete="name"
      required
      maxLength={255}
      autoFocus
      note={signIn.register.nameNote}
    />
    <Field
      label={signIn.email}
      name="email"
      type="email"
      autoComplete="username"
      required={!isInvited}
      note={isInvited ? signIn.invitation.emailNote : undefined}
    />
    <NewPasswordField label={signIn.password} name="password" required note={signIn.register.passwordNote} />
  </>
);

/** The API answers a registration with a token, which a page neither needs nor keeps: it is revoked immediately. */
const register = async ({ name = '', email = '', password = '' }: Values): Promise<void> => {
  const { token } = await berth.auth.register({ name, email, password });
  await berth.auth.login({ email, password, session: true });
  await new Berth({ baseUrl: berth.baseUrl, token }).auth.logout().catch(() => undefined);
};

export const RegisterPage = () => {
  const form = useAccountForm(register, false);
  return (
    <CenteredPage title={signIn.register.title}>
      <SignInForm form={form} fields={['name', 'email', 'password']} verb={signIn.create}>
        <AccountFields isInvited={false} />
      </SignInForm>
      <BackToSignIn />
    </CenteredPage>
  );
};

interface LinkPageProps {
  words: { title: string; openAgain: string };
  /** Undefined after a reload: the link has to be opened again. */
  code: string | undefined;
  form: Form<Values>;
  fields: readonly string[];
  verb: string;
  children: ReactNode;
}

/** A form behind a link that works once. */
const LinkPage = ({ words, code, form, fields, verb, children }: LinkPageProps) => {
  const failure = form.toError('code');
  return (
    <CenteredPage title={words.title}>
      {code === undefined ? (
        <>
          <Banner kind="news">{words.openAgain}</Banner>
          <BackToSignIn />
        </>
      ) : (
        <SignInForm
          form={form}
          fields={['code', ...fields]}
          lead={failure === undefined ? null : <Banner kind="failure">{failure}</Banner>}
          verb={verb}
        >
          {children}
        </SignInForm>
      )}
    </CenteredPage>
  );
};

const invitation = takeLinkCode('invitation');

const accept = async ({ name = '', email, password = '' }: Values): Promise<void> => {
  const address = isBlank(email) ? {} : { email };
  const account = await berth.auth.acceptInvitation({ code: invitation ?? '', name, password, ...address });
  await berth.auth.login({ email: account.email, password, session: true });
};

/** Creates the account of somebody whom an operator has invited. */
export const InvitationPage = () => {
  const form = useAccountForm(accept, true);
  const fields = ['name', 'email', 'password'];
  return (
    <LinkPage words={signIn.invitation} code={invitation} form={form} fields={fields} verb={signIn.register.title}>
      <AccountFields isInvited />
    </LinkPage>
  );
};

const passwordCode = takeLinkCode('password');

/** Sets the password of a user whom an operator has sent a link. */
export const SetPasswordPage = () => {
  const words = signIn.setPassword;
  const form = useForm({
    check: (values: Values) => ({ password: toPasswordError(values) }),
    run: async ({ password = '' }: Values) => {
      await berth.auth.setPassword(passwordCode ?? '', password);
      leave('reset');
    },
  });
  return (
    <LinkPage words={words} code={passwordCode} form={form} fields={['password']} verb={words.submit}>
      <NewPasswordField label={words.password} name="password" required autoFocus note={signIn.register.passwordNote} />
    </LinkPage>
  );
};
