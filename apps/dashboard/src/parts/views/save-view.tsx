import type { SavedView } from '@berth/client';
import { isViewName, MAX_VIEW_NAME_CHARACTERS } from '@berth/contract/values';
import { useState } from 'react';
import { berth } from '../../data/berth.ts';
import { useForm } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import { DialogForm } from '../dialog-form.tsx';
import { Dialog } from '../dialog.tsx';
import { Field } from '../field.tsx';
import { toQuery, type ListView } from './views-data.ts';

const words = pageTexts.viewDialogs;

export interface SaveViewProps {
  list: ListView;
  views: readonly SavedView[];
  onClose: () => void;
}

const SaveForm = ({ list, views, onClose }: SaveViewProps) => {
  const [name, setName] = useState('');
  const same = views.find((view) => view.name === name.trim());
  const form = useForm({
    check: ({ name: typed = '' }: Record<string, string>) => ({
      name: isViewName(typed.trim()) ? undefined : words.wrongName,
    }),
    run: ({ name: typed = '' }) =>
      berth.views.save(typed.trim(), {
        page: list.page,
        query: toQuery(list),
        ...(list.columns?.names ? { columns: [...list.columns.names] } : {}),
      }),
    done: (saved: SavedView) => words.saved(saved.name),
    touches: () => [keys.views],
    onDone: onClose,
  });
  return (
    <DialogForm form={form} fields={['name']} verb={texts.save} onClose={onClose}>
      <Field
        label={words.name}
        name="name"
        required
        autoFocus
        maxLength={MAX_VIEW_NAME_CHARACTERS}
        value={name}
        note={same && (same.page === list.page ? words.replaces : words.replacesOther)}
        onChange={(event) => setName(event.target.value)}
      />
    </DialogForm>
  );
};

/** Asks for the name of a view. */
export const SaveView = ({ isOpen, ...props }: SaveViewProps & { isOpen: boolean }) => (
  <Dialog
    title={words.saveTitle}
    description={props.list.columns ? words.saveText : words.saveTextFilters}
    isOpen={isOpen}
    onClose={props.onClose}
    hasOwnActions
  >
    <SaveForm {...props} />
  </Dialog>
);
