import type { SavedView } from '@berth/client';
import { berth } from '../../data/berth.ts';
import { useForm } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { DialogForm } from '../dialog-form.tsx';
import { Dialog } from '../dialog.tsx';
import { Select } from '../field.tsx';

const words = pageTexts.viewDialogs;

export interface DeleteViewProps {
  views: readonly SavedView[];
  /** The one that is shown. */
  chosen: string | undefined;
  onClose: () => void;
}

const DeleteForm = ({ views, chosen, onClose }: DeleteViewProps) => {
  const form = useForm({
    check: () => ({}),
    run: ({ name = '' }: Record<string, string>) => berth.views.delete(name),
    done: (_, { name = '' }) => words.deleted(name),
    touches: () => [keys.views],
    onDone: onClose,
  });
  return (
    <DialogForm form={form} verb={words.deleteVerb} kind="destroy" onClose={onClose}>
      <Select label={words.one} name="name" defaultValue={chosen}>
        {views.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </Select>
    </DialogForm>
  );
};

/** Asks which view. */
export const DeleteView = ({ isOpen, ...props }: DeleteViewProps & { isOpen: boolean }) => (
  <Dialog title={words.deleteTitle} isOpen={isOpen} onClose={props.onClose} hasOwnActions>
    <DeleteForm {...props} />
  </Dialog>
);
