import type { Schedule } from '@berth/client';
import { CalendarClock, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useAction } from '../../../data/action.ts';
import { berth } from '../../../data/berth.ts';
import { useCommands } from '../../../data/commands.ts';
import { keys } from '../../../data/keys.ts';
import { useSchedules } from '../../../data/schedules.ts';
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/item-dialog.tsx';
import { Listing } from '../../../parts/listing.tsx';
import { PageHead } from '../../../parts/page-head.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { TaskTabs } from '../task-tabs.tsx';
import { ScheduleDialog } from '../../../runs/schedule/schedule-dialog.tsx';
import { ScheduleTable } from './schedule-table.tsx';

const words = pageTexts.schedules;

/** What is done again and again, and when. */
export const SchedulesPage = () => {
  const schedules = useSchedules();
  const [isCreating, setCreating] = useState(false);
  const [toEdit, setToEdit] = useState<Schedule>();
  const [toDelete, setToDelete] = useState<Schedule>();
  const create = (): void => setCreating(true);
  useCommands(useMemo(() => [{ id: 'schedules.create', name: words.create, run: () => setCreating(true) }], []));
  const remove = useAction({
    run: ({ id }: Schedule) => berth.schedules.delete(id),
    done: (_nothing, { name }) => words.deleted(name),
    touches: () => [keys.schedules],
    onDone: () => setToDelete(undefined),
  });
  return (
    <>
      <PageHead
        title={words.title}
        tools={
          <Button kind="primary" icon={<Plus />} onClick={create}>
            {words.create}
          </Button>
        }
      />
      <TaskTabs />
      <Listing
        reading={schedules}
        empty={{ icon: <CalendarClock aria-hidden="true" />, title: words.none, children: words.noneText }}
      >
        <ScheduleTable schedules={schedules.data} onEdit={setToEdit} onDelete={setToDelete} />
      </Listing>
      <ScheduleDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <ScheduleDialog schedule={toEdit} isOpen={toEdit !== undefined} onClose={() => setToEdit(undefined)} />
      <Confirm
        item={toDelete}
        title={words.deleteTitle}
        lead={({ name }) => words.deleteLead(name)}
        verb={words.delete}
        action={remove}
        onClose={() => setToDelete(undefined)}
      />
    </>
  );
};
