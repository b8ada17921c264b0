import { useEffect, useState } from 'react';
import { toErrorText } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { takeLinkCode } from '../../data/link-code.ts';
import { Banner } from '../../parts/banner.tsx';
import { texts } from '../../texts/texts.ts';
import { OutsideLink } from './outside-link.tsx';
import { CenteredPage } from './plain-pages.tsx';
import { useEnter } from './sign-in-form.tsx';

const words = texts.signIn.link;

/** The code of this page load is used once: further callers wait for the same answer. */
let use: Promise<unknown> | undefined;

const spendCode = (): Promise<unknown> | undefined => {
  const code = takeLinkCode('sign-in');
  if (code !== undefined) use = berth.auth.signInLink(code);
  return use;
};

/** Uses the code of a sign-in link; without one it redirects to the terminals, and so to the form. */
export const SignInLinkPage = () => {
  const enter = useEnter();
  const [state, setState] = useState<'waiting' | 'in' | { failure: string }>('waiting');
  useEffect(() => {
    const result = spendCode() ?? Promise.resolve();
    result.then(() => setState('in')).catch((error: unknown) => setState({ failure: toErrorText(error) }));
  }, []);
  useEffect(() => {
    if (state === 'in') void enter();
  }, [state, enter]);
  if (typeof state === 'string') {
    return (
      <CenteredPage title={words.title}>
        <p role="status">{words.wait}</p>
      </CenteredPage>
    );
  }
  return (
    <CenteredPage title={words.failed}>
      <Banner kind="failure">{state.failure}</Banner>
      <OutsideLink to="/sign-in" className="justify-self-start">
        {words.toForm}
      </OutsideLink>
    </CenteredPage>
  );
};
