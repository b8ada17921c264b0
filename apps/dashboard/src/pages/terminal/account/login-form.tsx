import type { Terminal } from '@berth/client';
import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Field } from '../../../parts/field.tsx';
import { ServerField } from '../../../parts/server-field.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useLeadForm } from '../../../data/lead.ts';
import { listEmpty, useCheckedForm } from '../../../data/checked-form.ts';
import { toFormError, useCreateTask, whyNotNow } from '../../../data/create-task.ts';
import { toState } from '../state.ts';

const words = pageTexts.terminalAccount;
const FIELDS = ['login', 'password', 'server_name'];

/** Logs in with the saved account, or with another one. */
export const LoginForm = ({ terminal }: { terminal: Terminal }) => {
  const [login, setLogin] = useState(terminal.login);
  const [server, setServer] = useState(terminal.server_name);
  const [password, setPassword] = useState('');
  // A password does not stay in the page once it was sent.
  const create = useCreateTask(terminal.id, { isForm: true, onDone: () => setPassword('') });
  const stored = useCreateTask(terminal.id);
  const whyNot = whyNotNow(terminal, 'ACCOUNT_LOGIN');
  const send = (): void => {
    if (whyNot !== undefined || create.isRunning) return;
    create.run({
      type: 'ACCOUNT_LOGIN',
      payload: { login: login.trim(), server_name: server.trim(), ...(password === '' ? {} : { password }) },
    });
  };
  // If omitted, the saved ones would be used.
  const wrong = listEmpty({ server_name: server, login });
  const { form, submit, toError } = useCheckedForm({ wrong, error: create.error, sentences: words.wrong, send });
  useLeadForm('login', form);
  const failure = toFormError(create.error, FIELDS);
  return (
    <Card title={words.loginTitle} className="form-card">
      <p className="text-ink-2">{words.loginText}</p>
      <div>
        <Button whyNot={whyNot} isBusy={stored.isRunning} onClick={() => stored.run({ type: 'ACCOUNT_LOGIN' })}>
          {words.stored}
        </Button>
      </div>
      <form className="form-card" onSubmit={submit} aria-label={words.other} ref={form} noValidate>
        {failure === null ? null : <Failure error={failure} />}
        <ServerField
          value={server}
          error={toError('server_name')}
          wrong={toState(terminal) === 'SERVER_UNKNOWN' ? terminal.server_name : undefined}
          onChange={setServer}
        />
        <div className="grid grid-cols-2 items-start gap-3">
          <Field
            label={words.login}
            value={login}
            maxLength={64}
            autoComplete="off"
            spellCheck={false}
            error={toError('login')}
            onChange={(event) => setLogin(event.target.value)}
          />
          <Field
            label={words.password}
            type="password"
            value={password}
            maxLength={128}
            // The browser's saved passwords are for the dashboard, not for a broker.
            autoComplete="new-password"
            error={toError('password')}
            onChange={(event) => setPassword(event.target.value)}
          />
        </div>
        <p className="field-note">{words.passwordNote}</p>
        <div>
          <Button type="submit" kind="primary" whyNot={whyNot} isBusy={create.isRunning}>
            {words.logIn}
          </Button>
        </div>
      </form>
    </Card>
  );
};
