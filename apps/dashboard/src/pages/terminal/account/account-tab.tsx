import type { Terminal } from '@berth/client';
import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Check } from '../../../parts/check.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useCreateTask, whyNotNow } from '../../../data/create-task.ts';
import { DemoForm } from './demo-form.tsx';
import { LoginForm } from './login-form.tsx';
import { ServersForm } from './servers-form.tsx';

const words = pageTexts.terminalAccount;

const Logout = ({ terminal }: { terminal: Terminal }) => {
  const [forgets, setForgets] = useState(false);
  const create = useCreateTask(terminal.id);
  const whyNot = terminal.status_name === 'STOPPED' && !forgets ? words.isOut : whyNotNow(terminal, 'ACCOUNT_LOGOUT');
  return (
    <Card title={words.logoutTitle} className="form-card">
      <p className="text-ink-2">{words.logoutText}</p>
      <Check label={words.forget} note={words.forgetNote} isOn={forgets} onChange={setForgets} />
      <div>
        <Button
          kind="danger"
          whyNot={whyNot}
          isBusy={create.isRunning}
          onClick={() => create.run({ type: 'ACCOUNT_LOGOUT', payload: { forget_password: forgets ? 1 : 0 } })}
        >
          {words.logOut}
        </Button>
      </div>
    </Card>
  );
};

/** The trading account that the terminal is logged in to. */
export const AccountTab = ({ terminal }: { terminal: Terminal }) => (
  <div className="form-grid">
    <LoginForm key={`${terminal.server_name} ${terminal.login}`} terminal={terminal} />
    <Logout terminal={terminal} />
    <DemoForm terminal={terminal} />
    <ServersForm terminal={terminal} />
  </div>
);
