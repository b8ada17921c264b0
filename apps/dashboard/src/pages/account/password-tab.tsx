import { berth } from '../../data/berth.ts';
import { useForm } from '../../data/form.ts';
import { leaveEverywhere } from '../../data/live/live.ts';
import { useUser } from '../../data/session.ts';
import { Banner } from '../../parts/banner.tsx';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { NewPasswordField } from '../../parts/new-password.tsx';
import { Card } from '../../parts/surfaces.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.account.password;

/** Changes the password. That ends the session, so it redirects to the sign-in page. */
export const PasswordTab = () => {
  const { email } = useUser();
  const form = useForm({
    check: ({ current_password: current, new_password: next = '', new_password_confirmation: repeat }) => ({
      current_password: current ? undefined : words.enterCurrent,
      new_password: next.length < 6 ? words.tooShort : next === current ? words.same : undefined,
      new_password_confirmation: repeat === next ? undefined : words.differ,
    }),
    run: async (values: Record<string, string>) => {
      const { current_password = '', new_password = '', new_password_confirmation = '' } = values;
      await berth.account.changePassword({ current_password, new_password, new_password_confirmation });
      leaveEverywhere('reset');
    },
  });
  return (
    <Card className="max-w-[560px]">
      <Form
        form={form}
        fields={['current_password', 'new_password', 'new_password_confirmation']}
        lead={<Banner kind="warning">{words.before}</Banner>}
      >
        {/* Tells a password manager whose password this is. */}
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
        <Field label={words.current} name="current_password" type="password" autoComplete="current-password" required />
        <NewPasswordField label={words.next} name="new_password" required note={words.nextNote} />
        <Field
          label={words.repeat}
          name="new_password_confirmation"
          type="password"
          autoComplete="new-password"
          required
        />
        <div>
          <Button type="submit" kind="primary" isBusy={form.isRunning}>
            {words.submit}
          </Button>
        </div>
      </Form>
    </Card>
  );
};
