import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { berth } from '../../data/berth.ts';
import { isBlank, isEmail, readForm, useForm } from '../../data/form.ts';
import { leave } from '../../data/leave.ts';
import { signInOptionsQuery } from '../../data/session.ts';
import { FormFailure } from '../../parts/form-failure.tsx';
import { Banner } from '../../parts/banner.tsx';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { NewPasswordField } from '../../parts/new-password.tsx';
import { texts } from '../../texts/texts.ts';
import { OutsideLink } from './outside-link.tsx';
import { CenteredPage } from './plain-pages.tsx';

const { signIn } = texts;
const words = signIn.forgotten;

/** Where the code is, on a server that mails none. */
const useCodePlace = (): string | undefined => {
  const { data } = useQuery({ ...signInOptionsQuery, staleTime: Infinity });
  return data?.sends_mails === false ? words.notMailed : undefined;
};

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
    <form {...form.props} className="grid gap-4" onSubmit={(event) => form.submit(readForm(event))}>
      <p className="text-ink-2">{useCodePlace() ?? words.lead}</p>
      <FormFailure error={form.error} fields={['email']} />
      <Field
        label={signIn.email}
        name="email"
        type="email"
        autoComplete="username"
        required
        autoFocus
        defaultValue={email}
        error={form.toError('email')}
      />
      <Button type="submit" kind="primary" isBusy={form.isRunning}>
        {words.submit}
      </Button>
    </form>
  );
};

const SetPassword = ({ email }: { email: string }) => {
  const form = useForm({
    check: ({ code, password = '', repeat }) => ({
      code: isBlank(code) ? words.enterCode : undefined,
      password: password.length < 6 ? signIn.tooShort : undefined,
      password_confirmation: repeat === password ? undefined : words.differ,
    }),
    run: async ({ code = '', password = '', repeat = '' }: Record<string, string>) => {
      await berth.auth.resetPassword({ email, code, password, password_confirmation: repeat });
      leave('reset');
    },
  });
  return (
    <form {...form.props} className="grid gap-4" onSubmit={(event) => form.submit(readForm(event))}>
      <Banner kind="news">{useCodePlace() ?? words.sent}</Banner>
      <FormFailure error={form.error} fields={['code', 'password', 'password_confirmation']} />
      <Field
        label={words.code}
        name="code"
        autoComplete="one-time-code"
        required
        autoFocus
        maxLength={64}
        error={form.toError('code')}
      />
      <NewPasswordField
        label={words.newPassword}
        name="password"
        required
        note={signIn.register.passwordNote}
        error={form.toError('password')}
      />
      <Field
        label={words.repeat}
        name="repeat"
        type="password"
        autoComplete="new-password"
        required
        error={form.toError('password_confirmation')}
      />
      <Button type="submit" kind="primary" isBusy={form.isRunning}>
        {words.set}
      </Button>
    </form>
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
      <OutsideLink to="/sign-in" className="justify-self-start text-size-1">
        {signIn.toSignIn}
      </OutsideLink>
    </CenteredPage>
  );
};
