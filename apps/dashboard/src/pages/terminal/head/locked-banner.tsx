import type { Terminal } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { useId, useState } from 'react';
import { useAction } from '../../../data/action.ts';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { Button } from '../../../parts/button.tsx';
import { Check } from '../../../parts/check.tsx';
import { TextArea } from '../../../parts/field.tsx';
import { FormFailure } from '../../../parts/form.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { texts } from '../../../texts/texts.ts';
import { listEmpty, useCheckedForm } from '../../../data/checked-form.ts';

const words = pageTexts.terminalTrading.locked;

/** The reason is kept, and the consequence stands above it: unlocking is as deliberate as the lock was. */
const UnlockForm = ({ terminal, onClose }: { terminal: Terminal; onClose: () => void }) => {
  const [isReset, setReset] = useState(false);
  const { run, isRunning, error } = useAction({
    run: (reason: string) => berth.terminals.unlock(terminal.id, { reason, ...(isReset ? { reset_marks: true } : {}) }),
    done: () => words.unlocked(terminal.name),
    touches: () => [keys.terminals.one(terminal.id), keys.risk.all],
    onDone: onClose,
    isSilentOnError: true,
  });
  const [reason, setReason] = useState('');
  const { form, submit, toError } = useCheckedForm({
    wrong: listEmpty({ reason }),
    error,
    sentences: { reason: words.noReason },
    send: () => run(reason),
  });
  return (
    <form className="unlock-form" onSubmit={submit} ref={form} noValidate>
      <FormFailure error={error} fields={['reason']} />
      <TextArea
        label={words.reason}
        rows={2}
        value={reason}
        autoFocus
        maxLength={500}
        note={words.reasonNote}
        error={toError('reason')}
        onChange={(event) => setReason(event.target.value)}
      />
      <Check label={words.reset} note={words.resetNote} isOn={isReset} onChange={setReset} />
      <div className="form-foot">
        <Button type="submit" kind="destroy" isBusy={isRunning}>
          {words.submit}
        </Button>
        <Button onClick={onClose}>{texts.cancel}</Button>
      </div>
    </form>
  );
};

/** "Locked, because…", with what was done and the way out. */
export const LockedBanner = ({ terminal, reason }: { terminal: Terminal; reason: string }) => {
  const [isOpen, setOpen] = useState(false);
  const titleId = useId();
  return (
    <section className="banner" data-kind="failure" aria-labelledby={titleId}>
      <Lock aria-hidden="true" />
      <div className="banner-text">
        <p id={titleId}>
          {isOpen ? (
            <b>{words.unlockTitle(terminal.name)}</b>
          ) : (
            <>
              <b>{words.title}</b> <bdi>{reason}</bdi>
            </>
          )}
        </p>
        <p>{isOpen ? words.unlockText : words.text}</p>
        {isOpen ? <UnlockForm terminal={terminal} onClose={() => setOpen(false)} /> : null}
      </div>
      {isOpen ? null : (
        <div className="form-foot">
          <Link to="/risk" search={{ tab: 'breaches', terminal: terminal.id }} className="button">
            {words.breaches}
          </Link>
          <Button onClick={() => setOpen(true)}>{words.unlock}</Button>
        </div>
      )}
    </section>
  );
};
