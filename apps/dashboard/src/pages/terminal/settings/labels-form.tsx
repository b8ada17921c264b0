import type { Terminal, TerminalChanges } from '@berth/client';
import { MAX_EXTERNAL_ID_CHARACTERS, MAX_NOTES_CHARACTERS } from '@berth/contract/values';
import { useState } from 'react';
import { useAction } from '../../../data/action.ts';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { toTags } from '../../../data/tags.ts';
import { Button } from '../../../parts/button.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Field, TextArea } from '../../../parts/field.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { texts } from '../../../texts/texts.ts';
import { useCheckedForm } from '../../../data/checked-form.ts';
import { toFormError } from '../../../data/create-task.ts';

const words = pageTexts.terminalSettings;

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

type Typed = Partial<Record<'tags' | 'notes' | 'externalId', string>>;

/** Only what was changed is sent, so that nothing undoes a change made elsewhere. */
const toChanges = (typed: Typed, terminal: Terminal): TerminalChanges => {
  const [tags, notes, id] = [toTags(typed.tags ?? ''), orNull(typed.notes ?? ''), orNull(typed.externalId ?? '')];
  return {
    ...(typed.tags === undefined || tags.toSorted().join() === terminal.tags?.join() ? {} : { tags }),
    ...(typed.notes === undefined || notes === terminal.notes ? {} : { notes }),
    ...(typed.externalId === undefined || id === terminal.external_id ? {} : { external_id: id }),
  };
};

/** What its owner writes on the terminal. Unchanged fields follow the server. */
export const LabelsForm = ({ terminal }: { terminal: Terminal }) => {
  const [typed, setTyped] = useState<Typed>({});
  const save = useAction({
    run: (changes: TerminalChanges) => berth.terminals.update(terminal.id, changes),
    done: () => words.saved,
    touches: () => [keys.terminals.one(terminal.id), keys.terminals.lists],
    onDone: () => setTyped({}),
    isSilentOnError: true,
  });
  const changes = toChanges(typed, terminal);
  const whyNot = Object.keys(changes).length === 0 ? words.nothing : undefined;
  const send = (): void => {
    if (whyNot === undefined && !save.isRunning) save.run(changes);
  };
  const checked = { wrong: [], error: save.error, sentences: words.wrong, send };
  const { form, submit, toError } = useCheckedForm(checked);
  const failure = toFormError(save.error, ['tags', 'notes', 'external_id']);
  return (
    <Card title={words.labelsTitle}>
      <form className="form-card" onSubmit={submit} ref={form} noValidate>
        {failure === null ? null : <Failure error={failure} />}
        <Field
          label={words.tags}
          note={words.tagsNote}
          value={typed.tags ?? terminal.tags?.join(', ') ?? ''}
          autoComplete="off"
          dir="auto"
          error={toError('tags')}
          onChange={({ target }) => setTyped({ ...typed, tags: target.value })}
        />
        <TextArea
          label={words.notes}
          value={typed.notes ?? terminal.notes ?? ''}
          maxLength={MAX_NOTES_CHARACTERS}
          dir="auto"
          error={toError('notes')}
          onChange={({ target }) => setTyped({ ...typed, notes: target.value })}
        />
        <Field
          label={words.externalId}
          note={words.externalIdNote}
          value={typed.externalId ?? terminal.external_id ?? ''}
          maxLength={MAX_EXTERNAL_ID_CHARACTERS}
          autoComplete="off"
          spellCheck={false}
          error={toError('external_id')}
          onChange={({ target }) => setTyped({ ...typed, externalId: target.value })}
        />
        <div>
          <Button type="submit" whyNot={whyNot} isBusy={save.isRunning}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Card>
  );
};
