import type { Schedule } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../data/berth.ts';
import { useForm } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { toTitle } from '../run.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import { actionNames, check, toActionTitle, toChanges, toDraft, toNewSchedule, type Draft } from './draft.ts';
import { WhenFields } from './when-fields.tsx';
import { WhichField } from './which-field.tsx';

const words = pageTexts.schedules;
const notes: Readonly<Record<string, string>> = words.taskNotes;
const FIELDS = ['name', 'type', 'payload', 'filter', 'terminal_ids', 'days', 'time', 'cron', 'time_zone', 'missed'];
const missedChoices = ['skip', 'run_once'] as const;

interface FormProps {
  /** Undefined: a new one. */
  schedule?: Schedule | undefined;
  /** The terminals that a new one begins with; undefined: all. */
  ids?: readonly string[];
  onClose: () => void;
}

interface TaskFieldProps {
  draft: Draft;
  schedule: Schedule | undefined;
  onChange: (action: Draft['action']) => void;
}

/** What it does. Only a new one has the choice. */
const TaskField = ({ draft, schedule, onChange }: TaskFieldProps) =>
  schedule ? (
    <Field label={words.task} note={words.taskStays} value={toTitle(schedule)} readOnly />
  ) : (
    <Select
      label={words.task}
      name="type"
      autoFocus
      value={draft.action}
      note={notes[draft.action]}
      onChange={({ target }) => onChange(actionNames.find((known) => known === target.value) ?? draft.action)}
    >
      {actionNames.map((action) => (
        <option key={action} value={action}>
          {toActionTitle(action)}
        </option>
      ))}
    </Select>
  );

const ScheduleForm = ({ schedule, ids, onClose }: FormProps) => {
  const [begun] = useState(() => toDraft(schedule, ids));
  const [draft, setDraft] = useState(begun);
  const change = (part: Partial<Draft>): void => setDraft((old) => ({ ...old, ...part }));
  const form = useForm({
    check,
    run: (written: Draft) =>
      schedule
        ? berth.schedules.update(schedule.id, toChanges(written, schedule, written.which !== begun.which))
        : berth.schedules.create(toNewSchedule(written)),
    done: ({ name }: Schedule) => (schedule ? words.saved : words.created)(name),
    touches: () => [keys.schedules],
    onDone: onClose,
  });
  return (
    <DialogForm
      form={form}
      fields={FIELDS}
      toValues={() => draft}
      verb={schedule ? texts.save : words.create}
      onClose={onClose}
    >
      <TaskField draft={draft} schedule={schedule} onChange={(action) => change({ action })} />
      <Field
        label={words.name}
        name="name"
        maxLength={255}
        value={draft.name}
        placeholder={schedule ? schedule.name : toActionTitle(draft.action)}
        onChange={({ target }) => change({ name: target.value })}
      />
      <WhichField which={draft.which} onChange={(which) => change({ which })} />
      <WhenFields draft={draft} change={change} />
      <Select
        label={words.missedField}
        name="missed"
        note={words.missedNote}
        value={draft.missed}
        onChange={({ target }) => change({ missed: target.value === 'run_once' ? 'run_once' : 'skip' })}
      >
        {missedChoices.map((missed) => (
          <option key={missed} value={missed}>
            {words.missedChoices[missed]}
          </option>
        ))}
      </Select>
    </DialogForm>
  );
};

export interface ScheduleDialogProps extends FormProps {
  isOpen: boolean;
}

/** Creates or edits a schedule. */
export const ScheduleDialog = ({ isOpen, ...props }: ScheduleDialogProps) => (
  <Dialog title={props.schedule ? words.edit : words.create} isOpen={isOpen} onClose={props.onClose} hasOwnActions>
    <ScheduleForm {...props} />
  </Dialog>
);
