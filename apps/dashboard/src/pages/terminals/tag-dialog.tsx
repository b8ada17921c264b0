import { MAX_BULK_TERMINALS } from '@berth/contract/values';
import { Tag } from 'lucide-react';
import { useState } from 'react';
import { useForm } from '../../data/form.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { notify } from '../../data/notices.ts';
import { toTags } from '../../data/tags.ts';
import { Button } from '../../parts/button.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.terminals.tags;

interface Changes {
  add: string[];
  remove: string[];
}

/** As many requests as the selection needs; repeated after a failure, they change nothing twice. */
const tagAll = async (ids: readonly string[], { add, remove }: Changes) => {
  const sum = { terminals: 0, full: 0 };
  const lists = { ...(add.length > 0 ? { add } : {}), ...(remove.length > 0 ? { remove } : {}) };
  for (let from = 0; from < ids.length; from += MAX_BULK_TERMINALS) {
    const some = ids.slice(from, from + MAX_BULK_TERMINALS);
    const { terminals, full } = await berth.terminals.tagMany({ terminal_ids: some, ...lists });
    sum.terminals += terminals;
    sum.full += full.length;
  }
  return sum;
};

const TagForm = ({ ids, onClose }: { ids: readonly string[]; onClose: () => void }) => {
  const form = useForm({
    check: ({ add, remove }: Changes) => ({ add: add.length + remove.length === 0 ? words.nothing : undefined }),
    run: (changes: Changes) => tagAll(ids, changes),
    done: ({ terminals }) => words.done(terminals),
    touches: () => [keys.terminals.all],
    onDone: ({ full }) => {
      if (full > 0) notify({ kind: 'warning', text: words.full(full) });
      onClose();
    },
  });
  return (
    <DialogForm
      form={form}
      fields={['add', 'remove']}
      toValues={({ add = '', remove = '' }) => ({ add: toTags(add), remove: toTags(remove) })}
      verb={words.submit}
      onClose={onClose}
    >
      <Field label={words.add} name="add" note={words.note} dir="auto" />
      <Field label={words.remove} name="remove" dir="auto" />
    </DialogForm>
  );
};

/** Adds tags to the selected terminals, and removes them. */
export const TagMany = ({ ids }: { ids: readonly string[] }) => {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button icon={<Tag />} onClick={() => setOpen(true)}>
        {words.open}
      </Button>
      <Dialog title={words.title(ids.length)} isOpen={isOpen} onClose={close} hasOwnActions>
        <TagForm ids={ids} onClose={close} />
      </Dialog>
    </>
  );
};
