import type { Terminal } from '@berth/client';
import { useNavigate } from '@tanstack/react-router';
import { useAction } from '../../../data/action.ts';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { Confirm } from '../../../parts/item-dialog.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';

const words = pageTexts.terminal;

export interface DeleteDialogProps {
  terminal: Pick<Terminal, 'id' | 'name'>;
  isOpen: boolean;
  onClose: () => void;
}

/** Asks, and goes to the list: what the page is about is going. */
export const DeleteDialog = ({ terminal: { id, name }, isOpen, onClose }: DeleteDialogProps) => {
  const navigate = useNavigate();
  const destroy = useAction({
    run: () => berth.terminals.delete(id),
    done: () => words.deleting(name),
    touches: () => [keys.terminals.one(id), keys.terminals.lists, keys.tasks.ofTerminal(id)],
    onDone: () => {
      onClose();
      void navigate({ to: '/terminals' });
    },
  });
  return (
    <Confirm
      item={isOpen || undefined}
      title={words.deleteTitle}
      lead={words.deleteText}
      typed={name}
      verb={words.delete}
      action={destroy}
      onClose={onClose}
    />
  );
};
