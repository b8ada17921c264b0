import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Dialog } from '../../../parts/dialog.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { CreateForm, type Created } from './create-form.tsx';
import { Installation } from './installation.tsx';

const words = pageTexts.terminals.create;

/** Creates a terminal, and shows its installation. It may be closed at any time: the installation continues. */
export const CreateDialog = () => {
  const navigate = useNavigate({ from: '/terminals' });
  const [created, setCreated] = useState<Created>();
  const createdId = created?.id;
  const close = (): void => {
    setCreated(undefined);
    void navigate({ search: ({ create: _, ...old }) => old, replace: true });
  };
  return (
    <Dialog
      title={createdId === undefined ? words.title : words.installing}
      isOpen
      onClose={close}
      description={createdId === undefined ? words.text : words.installingText}
      hasOwnActions
    >
      {created === undefined ? (
        <CreateForm onCreated={setCreated} onClose={close} />
      ) : (
        <Installation {...created} onClose={close} onAnother={() => setCreated(undefined)} />
      )}
    </Dialog>
  );
};
