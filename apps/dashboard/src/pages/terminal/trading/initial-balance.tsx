import type { TradingAccount } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../../data/berth.ts';
import { isBlank, useForm } from '../../../data/form.ts';
import { keys } from '../../../data/keys.ts';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { Amount } from '../../../parts/money/amount.tsx';
import { toTyped } from '../../../data/decimal.ts';
import { pageTexts } from '../../../texts/page-texts.ts';

const words = pageTexts.terminalTrading.initial;

interface OfAccount {
  account: TradingAccount;
  terminalId: string;
}

const Form = ({ account, terminalId, onClose }: OfAccount & { onClose: () => void }) => {
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
    <DialogForm
      form={form}
      fields={['initial_balance']}
      toValues={({ initial_balance: typed = '' }) => typed}
      verb={words.save}
      onClose={onClose}
    >
      <Field
        label={words.amount}
        name="initial_balance"
        inputMode="decimal"
        autoFocus
        defaultValue={account.initial_balance_source === 'owner' ? (account.initial_balance ?? '') : ''}
        note={words.note}
      />
    </DialogForm>
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
