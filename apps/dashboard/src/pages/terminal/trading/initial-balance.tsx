import type { TradingAccount } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../../data/berth.ts';
import { isBlank, useForm } from '../../../data/form.ts';
import { keys } from '../../../data/keys.ts';
import { Dialog, FormFoot } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { FormFailure } from '../../../parts/form-failure.tsx';
import { Amount } from '../../../parts/money/amount.tsx';
import { toTyped } from '../../../parts/money/decimal.ts';
import { pageTexts } from '../../../texts/page-texts.ts';

const words = pageTexts.terminalTrading.initial;

interface OfAccount {
  account: TradingAccount;
  terminalId: string;
}

const Form = ({ account, terminalId, onClose }: OfAccount & { onClose: () => void }) => {
  const [amount, setAmount] = useState(
    account.initial_balance_source === 'owner' ? (account.initial_balance ?? '') : '',
  );
  const form = useForm({
    check: (typed: string) => ({
      initial_balance: isBlank(typed) || toTyped(typed) !== undefined ? undefined : words.bad,
    }),
    run: (typed: string) => berth.terminals.updateAccount(terminalId, { initial_balance: toTyped(typed) ?? null }),
    done: () => words.saved,
    touches: () => [keys.accounts.one(terminalId), keys.risk.states],
    onDone: onClose,
  });
  return (
    <form
      {...form.props}
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        form.submit(amount);
      }}
    >
      <FormFailure error={form.error} fields={['initial_balance']} />
      <Field
        label={words.amount}
        inputMode="decimal"
        autoComplete="off"
        autoFocus
        value={amount}
        note={words.note}
        error={form.toError('initial_balance')}
        onChange={({ target: { value } }) => setAmount(value)}
      />
      <FormFoot onClose={onClose} isBusy={form.isRunning}>
        {words.save}
      </FormFoot>
    </form>
  );
};

/** What the account began with, who says so, and a way to say it. */
export const InitialBalance = ({ account, terminalId }: OfAccount) => {
  const [isOpen, setOpen] = useState(false);
  const { initial_balance: initial, initial_balance_source: source } = account;
  const close = (): void => setOpen(false);
  return (
    <>
      {initial === null ? words.unknown : <Amount value={initial} />}
      {source === null ? null : <small> {words.sources[source]}</small>}{' '}
      <button
        type="button"
        className="link"
        aria-label={`${words.name}: ${words.change}`}
        onClick={() => setOpen(true)}
      >
        {words.change}
      </button>
      <Dialog title={words.title} description={words.text} isOpen={isOpen} onClose={close} hasOwnActions>
        <Form account={account} terminalId={terminalId} onClose={close} />
      </Dialog>
    </>
  );
};
