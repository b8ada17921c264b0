import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { readForm, toFieldError } from '../../data/form.ts';
import { leaveEverywhere } from '../../data/live/live.ts';
import { useUser } from '../../data/session.ts';
import { FormFailure } from '../../parts/form-failure.tsx';
import { Banner } from '../../parts/banner.tsx';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Card } from '../../parts/surfaces.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.account.password;

/** Changes the password. That ends the session, so it redirects to the sign-in page. */
export const PasswordTab = () => {
  const { email } = useUser();
  const { run, isRunning, error } = useAction({
    run: async ({ current = '', next = '', repeat = '' }: Record<string, string>) => {
      await berth.account.changePassword({
        current_password: current,
        new_password: next,
        new_password_confirmation: repeat,
      });
      leaveEverywhere('reset');
    },
    isSilentOnError: true,
  });
  return (
    <Card className="max-w-[560px]">
      <form className="grid gap-4" onSubmit={(event) => run(readForm(event))}>
        <Banner kind="warning">{words.before}</Banner>
        <FormFailure error={error} fields={['current_password', 'new_password', 'new_password_confirmation']} />
        {/* Tells a password manager whose password this is. */}
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
        <Field
          label={words.current}
          name="current"
          type="password"
          autoComplete="current-password"
          required
          error={toFieldError(error, 'current_password')}
        />
        <Field
          label={words.next}
          name="next"
          type="password"
          autoComplete="new-password"
          required
          minLength={6}
          note={words.nextNote}
          error={toFieldError(error, 'new_password')}
        />
        <Field
          label={words.repeat}
          name="repeat"
          type="password"
          autoComplete="new-password"
          required
          error={toFieldError(error, 'new_password_confirmation')}
        />
        <div>
          <Button type="submit" kind="primary" isBusy={isRunning}>
            {words.submit}
          </Button>
        </div>
      </form>
    </Card>
  );
};
