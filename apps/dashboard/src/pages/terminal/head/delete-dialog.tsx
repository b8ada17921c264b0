import type { Terminal } from '@berth/client';
import { useAction } from '../../../data/action.ts';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { ConfirmByName } from '../../../parts/confirm-by-name.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';

const words = pageTexts.terminal;

export interface DeleteDialogProps {
  terminal: Pick<Terminal, 'id' | 'name'>;
  isOpen: boolean;
  onClose: () => void;
}

export const DeleteDialog = ({ terminal: { id, name }, isOpen, onClose }: DeleteDialogProps) => {
  const destroy = useAction({
    run: (_: undefined) => berth.terminals.delete(id),
    done: () => words.deleting(name),
    touches: () => [keys.terminals.one(id), keys.terminals.lists, keys.tasks.ofTerminal(id)],
    onDone: onClose,
  });
  return (
    <ConfirmByName
      title={words.deleteTitle}
      name={name}
      verb={words.delete}
      isOpen={isOpen}
      isBusy={destroy.isRunning}
      onClose={onClose}
      onConfirm={() => destroy.run(undefined)}
    >
      {words.deleteText}
    </ConfirmByName>
  );
};
