import { type Terminal, type TerminalWhy } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { unreported } from '../../../data/reading.ts';
import { Button } from '../../../parts/button.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Field } from '../../../parts/field.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { WhyView } from '../../../parts/why/why-view.tsx';
import { isolate } from '../../../texts/isolate.ts';
import { pageTexts } from '../../../texts/page-texts.ts';
import { LoginForm } from '../account/login-form.tsx';
import { ServersForm } from '../account/servers-form.tsx';
import { listEmpty, useCheckedForm } from '../../../data/checked-form.ts';
import { toFormError, useCreateTask, whyNotNow } from '../../../data/create-task.ts';

const words = pageTexts.why;
/** Queues and hosts have no events for owners. */
const READ_EVERY_MS = 15_000;

type Cause = NonNullable<TerminalWhy['cause']>;

/** Only the password was wrong, or is missing. */
const PasswordForm = ({ terminal }: { terminal: Terminal }) => {
  const { id, login, server_name } = terminal;
  const [password, setPassword] = useState('');
  const create = useCreateTask(id, { isForm: true, onDone: () => setPassword('') });
  const whyNot = whyNotNow(terminal, 'ACCOUNT_LOGIN');
  const send = (): void => {
    if (whyNot === undefined && !create.isRunning)
      create.run({ type: 'ACCOUNT_LOGIN', payload: { login, server_name, password } });
  };
  const { form, submit, toError } = useCheckedForm({
    wrong: listEmpty({ password }),
    error: create.error,
    sentences: { password: words.enterPassword },
    send,
  });
  const failure = toFormError(create.error, ['password']);
  return (
    <form className="form-card max-w-sm" onSubmit={submit} ref={form} aria-label={words.logIn} noValidate>
      {failure === null ? null : <Failure error={failure} />}
      <Field
        label={words.password}
        type="password"
        value={password}
        maxLength={128}
        autoComplete="new-password"
        note={words.passwordFor(isolate(login), isolate(server_name))}
        error={toError('password')}
        onChange={(event) => setPassword(event.target.value)}
      />
      <div>
        <Button type="submit" kind="primary" whyNot={whyNot} isBusy={create.isRunning}>
          {words.logIn}
        </Button>
      </div>
    </form>
  );
};

const StartButton = ({ terminal }: { terminal: Terminal }) => {
  const { run, isRunning } = useCreateTask(terminal.id);
  return (
    <div>
      <Button
        kind="primary"
        whyNot={whyNotNow(terminal, 'TERMINAL_START')}
        isBusy={isRunning}
        onClick={() => run({ type: 'TERMINAL_START' })}
      >
        {words.start}
      </Button>
    </div>
  );
};

type Repair = (terminal: Terminal) => ReactNode;

const toPasswordForm: Repair = (terminal) => <PasswordForm terminal={terminal} />;
const toLoginForm: Repair = (terminal) => <LoginForm terminal={terminal} />;
const toStart: Repair = (terminal) => <StartButton terminal={terminal} />;

/** What can be repaired in place; for everything else the next step says where, or that there is nothing to do. */
const repairs: Partial<Record<Cause, Repair>> = {
  login_refused: toPasswordForm,
  password_expired: toPasswordForm,
  no_password: toPasswordForm,
  logged_out: toPasswordForm,
  no_account: toLoginForm,
  other_account: toLoginForm,
  login_failed: toLoginForm,
  server_unknown: (terminal) => (
    <div className="form-grid">
      <LoginForm terminal={terminal} />
      <ServersForm terminal={terminal} />
    </div>
  ),
  stopped: toStart,
  task_failed: toStart,
};

const Answer = ({ terminal }: { terminal: Terminal }) => {
  const { data, error, refetch } = useQuery({
    queryKey: keys.terminals.why(terminal.id),
    queryFn: ({ signal }) => berth.terminals.why(terminal.id, { signal }),
    ...unreported(READ_EVERY_MS),
  });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton className="h-40 w-full" />;
  return <WhyView why={data}>{data.cause === null ? null : repairs[data.cause]?.(terminal)}</WhyView>;
};

/** All that has to be right for the terminal to run, and the first thing that is not, with the way to repair it. */
export const WhyPanel = ({ terminal }: { terminal: Terminal }) => (
  <Card className="mb-4" title={words.title} aria-label={words.title}>
    <Answer terminal={terminal} />
  </Card>
);
