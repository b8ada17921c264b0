import { useState } from 'react';
import { berth } from '../../data/berth.ts';
import { isBlank, isEmail, useForm } from '../../data/form.ts';
import { leave } from '../../data/leave.ts';
import { useMails } from '../../data/session.ts';
import { Banner } from '../../parts/banner.tsx';
import { Field } from '../../parts/field.tsx';
import { NewPasswordField } from '../../parts/new-password.tsx';
import { texts } from '../../texts/texts.ts';
import { CenteredPage } from './plain-pages.tsx';
import { BackToSignIn, SignInForm } from './sign-in-form.tsx';

const { signIn } = texts;
const words = signIn.forgotten;

/** Where the code is, on a server that mails none. */
const useCodePlace = (): string | undefined => (useMails() ? undefined : words.notMailed);

interface StepProps {
  email: string;
  onNext: (email: string) => void;
}

const AskForCode = ({ email, onNext }: StepProps) => {
  const form = useForm({
    check: ({ email: address }) => ({ email: isEmail(address) ? undefined : signIn.enterEmail }),
    run: async ({ email: address = '' }: Record<string, string>) => {
      await berth.auth.forgotPassword(address);
      onNext(address);
    },
  });
  return (
    <SignInForm
      form={form}
      fields={['email']}
      lead={<p className="text-ink-2">{useCodePlace() ?? words.lead}</p>}
      verb={words.submit}
    >
      <Field
        label={signIn.email}
        name="email"
        type="email"
        autoComplete="username"
        required
        autoFocus
        defaultValue={email}
      />
    </SignInForm>
  );
};

const SetPassword = ({ email }: { email: string }) => {
  const form = useForm({
    check: ({ code, password = '', password_confirmation: repeat }) => ({
      code: isBlank(code) ? words.enterCode : undefined,
      password: password.length < 6 ? signIn.tooShort : undefined,
      password_confirmation: repeat === password ? undefined : words.differ,
    }),
    run: async ({ code = '', password = '', password_confirmation = '' }: Record<string, string>) => {
      await berth.auth.resetPassword({ email, code, password, password_confirmation });
      leave('reset');
    },
  });
  return (
    <SignInForm
      form={form}
      fields={['code', 'password', 'password_confirmation']}
      lead={<Banner kind="news">{useCodePlace() ?? words.sent}</Banner>}
      verb={words.set}
    >
      <Field label={words.code} name="code" autoComplete="one-time-code" required autoFocus maxLength={64} />
      <NewPasswordField label={words.newPassword} name="password" required note={signIn.register.passwordNote} />
      <Field label={words.repeat} name="password_confirmation" type="password" autoComplete="new-password" required />
    </SignInForm>
  );
};

export const ForgottenPage = () => {
  const [email, setEmail] = useState('');
  const [hasCode, setHasCode] = useState(false);
  const next = (address: string): void => {
    setEmail(address);
    setHasCode(true);
  };
  return (
    <CenteredPage title={words.title}>
      {hasCode ? <SetPassword email={email} /> : <AskForCode email={email} onNext={next} />}
      <BackToSignIn />
    </CenteredPage>
  );
};
