import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Dialog } from '../../../parts/dialog.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { CreateForm, type Created, type Kept } from './create-form.tsx';
import { Installation } from './installation.tsx';

const words = pageTexts.terminals.create;

/** Creates a terminal, and shows its installation. It may be closed at any time: the installation continues. */
export const CreateDialog = () => {
  const navigate = useNavigate({ from: '/terminals' });
  const { snapshot } = useSearch({ from: '/in/terminals' });
  const [created, setCreated] = useState<Created>();
  const [kept, setKept] = useState<Kept>();
  const [isActive, setActive] = useState(false);
  const start = (next?: Created): void => {
    setCreated(next);
    setActive(false);
  };
  const close = (): void => {
    start();
    void navigate({ search: ({ create: _create, snapshot: _snapshot, ...old }) => old, replace: true });
  };
  return (
    <Dialog
      title={created === undefined ? words.title : isActive ? words.isActive : words.installing}
      isOpen
      onClose={close}
      description={created === undefined ? words.text : isActive ? undefined : words.installingText}
      hasOwnActions
    >
      {created === undefined ? (
        <>
          <Link to="/terminals/import" className="link mb-4 inline-block">
            {words.many}
          </Link>
          <CreateForm kept={kept} onSent={setKept} onCreated={start} onClose={close} snapshotId={snapshot} />
        </>
      ) : (
        <Installation {...created} onClose={close} onAnother={() => start()} onActive={setActive} />
      )}
    </Dialog>
  );
};
