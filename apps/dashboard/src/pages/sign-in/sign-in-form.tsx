/** What the forms have in common that need nobody signed in. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { goTo } from '../../data/place.ts';
import { beginSession } from '../../data/session.ts';
import { Button } from '../../parts/button.tsx';
import { Form, type FormProps } from '../../parts/form.tsx';
import { texts } from '../../texts/texts.ts';
import { OutsideLink } from './outside-link.tsx';

/** After signing in: everything is loaded for the new session, and the user is where they wanted to be. */
export const useEnter = () => {
  const client = useQueryClient();
  return useCallback(
    async (back = '/terminals'): Promise<void> => {
      await beginSession(client);
      goTo(back, { replaces: true });
    },
    [client],
  );
};

export const SignInForm = <Values,>({ verb, children, ...form }: FormProps<Values> & { verb: string }) => (
  <Form {...form}>
    {children}
    <Button type="submit" kind="primary" isBusy={form.form.isRunning}>
      {verb}
    </Button>
  </Form>
);

export const BackToSignIn = () => (
  <OutsideLink to="/sign-in" className="justify-self-start text-size-1">
    {texts.signIn.toSignIn}
  </OutsideLink>
);
