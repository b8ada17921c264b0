import { berth } from '../../data/berth.ts';
import { readForm, useForm } from '../../data/form.ts';
import { leave } from '../../data/leave.ts';
import { takeLinkCode } from '../../data/link-code.ts';
import { Banner } from '../../parts/banner.tsx';
import { Button } from '../../parts/button.tsx';
import { FormFailure } from '../../parts/form-failure.tsx';
import { NewPasswordField } from '../../parts/new-password.tsx';
import { texts } from '../../texts/texts.ts';
import { OutsideLink } from './outside-link.tsx';
import { CenteredPage } from './plain-pages.tsx';

const { signIn } = texts;
const words = signIn.setPassword;

/** A reload has it no more: the link has to be opened again. */
const code = takeLinkCode('password');

/** Sets the password of a user whom an operator has sent a link. */
export const SetPasswordPage = () => {
  const form = useForm({
    check: ({ password = '' }) => ({ password: password.length < 6 ? signIn.tooShort : undefined }),
    run: async ({ password = '' }: Record<string, string>) => {
      await berth.auth.setPassword(code ?? '', password);
      leave('reset');
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
      <FormFailure error={form.error} fields={['code', 'password']} />
      <form {...form.props} className="grid gap-4" onSubmit={(event) => form.submit(readForm(event))}>
        <NewPasswordField
          label={words.password}
          name="password"
          required
          autoFocus
          note={signIn.register.passwordNote}
          error={form.toError('password')}
        />
        <Button type="submit" kind="primary" isBusy={form.isRunning}>
          {words.submit}
        </Button>
      </form>
    </CenteredPage>
  );
};
