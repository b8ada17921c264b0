import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { readForm, toFieldError } from '../../data/form.ts';
import { leave } from '../../data/leave.ts';
import { signInOptionsQuery } from '../../data/session.ts';
import { FormFailure } from '../../parts/form-failure.tsx';
import { Banner } from '../../parts/banner.tsx';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
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
  const { run, isRunning, error } = useAction({
    run: async (form: Record<string, string>) => {
      await berth.auth.forgotPassword(form.email ?? '');
      onNext(form.email ?? '');
    },
    isSilentOnError: true,
  });
  return (
    <form className="grid gap-4" onSubmit={(event) => run(readForm(event))}>
      <p className="text-ink-2">{useCodePlace() ?? words.lead}</p>
      <FormFailure error={error} fields={['email']} />
      <Field
        label={signIn.email}
        name="email"
        type="email"
        autoComplete="username"
        required
        autoFocus
        defaultValue={email}
        error={toFieldError(error, 'email')}
      />
      <Button type="submit" kind="primary" isBusy={isRunning}>
        {words.submit}
      </Button>
    </form>
  );
};

const SetPassword = ({ email }: { email: string }) => {
  const { run, isRunning, error } = useAction({
    run: async ({ code = '', password = '', repeat = '' }: Record<string, string>) => {
      await berth.auth.resetPassword({ email, code, password, password_confirmation: repeat });
      leave('reset');
    },
    isSilentOnError: true,
  });
  return (
    <form className="grid gap-4" onSubmit={(event) => run(readForm(event))}>
      <Banner kind="news">{useCodePlace() ?? words.sent}</Banner>
      <FormFailure error={error} fields={['code', 'password', 'password_confirmation']} />
      <Field
        label={words.code}
        name="code"
        autoComplete="one-time-code"
        required
        autoFocus
        maxLength={64}
        error={toFieldError(error, 'code')}
      />
      <Field
        label={words.newPassword}
        name="password"
        type="password"
        autoComplete="new-password"
        required
        minLength={6}
        note={signIn.register.passwordNote}
        error={toFieldError(error, 'password')}
      />
      <Field
        label={words.repeat}
        name="repeat"
        type="password"
        autoComplete="new-password"
        required
        error={toFieldError(error, 'password_confirmation')}
      />
      <Button type="submit" kind="primary" isBusy={isRunning}>
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
