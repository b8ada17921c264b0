import { berth } from '../../data/berth.ts';
import { readForm, useForm } from '../../data/form.ts';
import { leaveEverywhere } from '../../data/live/live.ts';
import { useUser } from '../../data/session.ts';
import { FormFailure } from '../../parts/form-failure.tsx';
import { Banner } from '../../parts/banner.tsx';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { NewPasswordField } from '../../parts/new-password.tsx';
import { Card } from '../../parts/surfaces.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.account.password;

/** Changes the password. That ends the session, so it redirects to the sign-in page. */
export const PasswordTab = () => {
  const { email } = useUser();
  const form = useForm({
    check: ({ current, next = '', repeat }) => ({
      current_password: current ? undefined : words.enterCurrent,
      new_password: next.length < 6 ? words.tooShort : next === current ? words.same : undefined,
      new_password_confirmation: repeat === next ? undefined : words.differ,
    }),
    run: async ({ current = '', next = '', repeat = '' }: Record<string, string>) => {
      await berth.account.changePassword({
        current_password: current,
        new_password: next,
        new_password_confirmation: repeat,
      });
      leaveEverywhere('reset');
    },
  });
  return (
    <Card className="max-w-[560px]">
      <form {...form.props} className="grid gap-4" onSubmit={(event) => form.submit(readForm(event))}>
        <Banner kind="warning">{words.before}</Banner>
        <FormFailure error={form.error} fields={['current_password', 'new_password', 'new_password_confirmation']} />
        {/* Tells a password manager whose password this is. */}
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
        <Field
          label={words.current}
          name="current"
          type="password"
          autoComplete="current-password"
          required
          error={form.toError('current_password')}
        />
        <NewPasswordField
          label={words.next}
          name="next"
          required
          note={words.nextNote}
          error={form.toError('new_password')}
        />
        <Field
          label={words.repeat}
          name="repeat"
          type="password"
          autoComplete="new-password"
          required
          error={form.toError('new_password_confirmation')}
        />
        <div>
          <Button type="submit" kind="primary" isBusy={form.isRunning}>
            {words.submit}
          </Button>
        </div>
      </form>
    </Card>
  );
};
