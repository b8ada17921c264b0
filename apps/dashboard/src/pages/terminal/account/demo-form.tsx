import type { Terminal } from '@berth/client';
import { useState } from 'react';
import { useUser } from '../../../data/session.ts';
import { Button } from '../../../parts/button.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Field } from '../../../parts/field.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { isWholeOrEmpty, listEmpty, useCheckedForm } from '../../../data/checked-form.ts';
import { toFormError, useCreateTask, whyNotNow } from '../../../data/create-task.ts';

const words = pageTexts.terminalAccount;

/** The form's fields; the last three are optional. */
interface Draft {
  server_name: string;
  name: string;
  email: string;
  balance: string;
  leverage: string;
  currency: string;
}

interface Line {
  field: keyof Draft;
  label: string;
  inputMode?: 'email' | 'decimal' | 'numeric';
  maxLength?: number;
  note?: string;
}

const lines: readonly (readonly Line[])[] = [
  [{ field: 'server_name', label: words.server, maxLength: 128 }],
  [
    { field: 'name', label: words.name, maxLength: 128 },
    { field: 'email', label: words.email, inputMode: 'email', maxLength: 255 },
  ],
  [
    { field: 'balance', label: words.balance, inputMode: 'decimal' },
    { field: 'leverage', label: words.leverage, inputMode: 'numeric' },
    { field: 'currency', label: words.currency, maxLength: 3, note: words.currencyNote },
  ],
];
const FIELDS = lines.flat().map(({ field }) => field);

const toPayload = ({ server_name: server, name, email, balance, leverage, currency }: Draft) => ({
  server_name: server.trim(),
  name: name.trim(),
  email: email.trim(),
  ...(balance.trim() === '' ? {} : { balance: Number(balance) }),
  ...(leverage.trim() === '' ? {} : { leverage: Number(leverage) }),
  ...(currency.trim() === '' ? {} : { currency: currency.trim().toUpperCase() }),
});

const isAmountOrEmpty = (text: string): boolean =>
  text.trim() === '' || (Number(text) >= 1 && Number(text) <= 1_000_000_000);

/** The fields that are wrong; what they have to be else, the server knows. */
const findWrong = ({ server_name, name, email, balance, leverage, currency }: Draft): string[] => [
  ...listEmpty({ server_name, name }),
  ...(/^\S+@\S+$/.test(email.trim()) ? [] : ['email']),
  ...(isAmountOrEmpty(balance) ? [] : ['balance']),
  ...(isWholeOrEmpty(leverage, [1, 5_000]) ? [] : ['leverage']),
  ...(/^(?:[a-z]{3})?$/i.test(currency.trim()) ? [] : ['currency']),
];

/** Opens a demo account at a broker. */
export const DemoForm = ({ terminal }: { terminal: Terminal }) => {
  const user = useUser();
  const [draft, setDraft] = useState<Draft>({
    server_name: terminal.server_name,
    name: user.name,
    email: user.email,
    balance: '10000',
    leverage: '100',
    currency: 'USD',
  });
  const create = useCreateTask(terminal.id, { isForm: true });
  const whyNot = whyNotNow(terminal, 'ACCOUNT_OPEN_DEMO');
  const send = (): void => {
    if (whyNot === undefined && !create.isRunning) create.run({ type: 'ACCOUNT_OPEN_DEMO', payload: toPayload(draft) });
  };
  const checked = { wrong: findWrong(draft), error: create.error, sentences: words.wrong, send };
  const { form, submit, toError } = useCheckedForm(checked);
  const failure = toFormError(create.error, FIELDS);
  return (
    <Card title={words.demoTitle}>
      <form className="form-card" onSubmit={submit} aria-label={words.demoTitle} ref={form} noValidate>
        <p className="text-ink-2">{words.demoText}</p>
        {failure === null ? null : <Failure error={failure} />}
        {lines.map((line) => (
          <div key={line[0]?.field} className="form-line">
            {line.map(({ field, ...input }) => (
              <Field
                key={field}
                {...input}
                value={draft[field]}
                autoComplete="off"
                error={toError(field)}
                onChange={(event) => setDraft({ ...draft, [field]: event.target.value })}
              />
            ))}
          </div>
        ))}
        <p className="field-note">{words.demoOnce}</p>
        <div>
          <Button type="submit" whyNot={whyNot} isBusy={create.isRunning}>
            {words.openDemo}
          </Button>
        </div>
      </form>
    </Card>
  );
};
