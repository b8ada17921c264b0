import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Dialog } from '../../../parts/dialog.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { CreateForm } from './create-form.tsx';
import { Installation } from './installation.tsx';

const words = pageTexts.terminals.create;

/** Creates a terminal, and shows how it is installed. It may be closed at any time: the installation goes on. */
export const CreateDialog = () => {
  const navigate = useNavigate({ from: '/terminals' });
  const [createdId, setCreatedId] = useState<string>();
  const close = (): void => {
    setCreatedId(undefined);
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
      {createdId === undefined ? (
        <CreateForm onCreated={setCreatedId} onClose={close} />
      ) : (
        <Installation id={createdId} onClose={close} onAnother={() => setCreatedId(undefined)} />
      )}
    </Dialog>
  );
};
