import { useNavigate } from '@tanstack/react-router';
import { Unplug } from 'lucide-react';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { TasksTab } from './tasks/tasks-tab.tsx';
import { useTasks } from './terminal-data.ts';

const words = pageTexts.terminal;

/** @param name if the terminal was shown until now */
export const GoneTerminal = ({ id, name }: { id: string; name: string | undefined }) => {
  const navigate = useNavigate();
  const { data } = useTasks(id, { page: 1, filter: undefined });
  return (
    <>
      <PageHead title={name ?? words.gone} />
      <Sheet>
        <EmptyState
          icon={<Unplug aria-hidden="true" />}
          title={words.gone}
          action={
            <Button kind="primary" onClick={() => void navigate({ to: '/terminals' })}>
              {words.toTerminals}
            </Button>
          }
        >
          {words.goneText}
        </EmptyState>
      </Sheet>
      {data !== undefined && data.data.length > 0 ? (
        <section className="tab-body">
          <h2 className="mb-3">{words.goneTasks}</h2>
          <TasksTab terminalId={id} />
        </section>
      ) : null}
    </>
  );
};
