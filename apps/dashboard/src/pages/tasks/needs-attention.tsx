import type { Task } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { TaskButton } from '../../parts/task/task-buttons.tsx';
import { toFailure } from '../../parts/task/task-facts.ts';
import { Time } from '../../parts/time.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { TaskLink, TerminalLink } from './task-links.tsx';
import { useRecentFailures } from './tasks-data.ts';

const words = pageTexts.tasks;

/** Why it failed, according to the host or the service, and what to do. */
const Why = ({ task }: { task: Task }) => {
  const failure = toFailure(task);
  if (!failure) return null;
  return (
    <p className="text-ink-2">
      <bdi className="line-clamp-3 text-ink">{failure.message}</bdi> {failure.advice}
    </p>
  );
};

const Item = ({ task }: { task: Task }) => (
  <li className="needs">
    <div className="grid min-w-0 gap-1">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-3">
        <TaskLink task={task} />
        <span className="min-w-0 truncate">
          <TerminalLink task={task} />
        </span>
        <small>
          <Time at={task.created_at} />
        </small>
      </div>
      <Why task={task} />
    </div>
    <TaskButton task={task} />
  </li>
);

/** Recent failures, above everything else. */
export const NeedsAttention = ({ isWanted }: { isWanted: boolean }) => {
  const { data: tasks = [] } = useRecentFailures(isWanted);
  if (!isWanted || tasks.length === 0) return null;
  return (
    <section className="needs-attention" aria-labelledby="needs-attention">
      <header className="flex flex-wrap items-baseline gap-3">
        <h2 id="needs-attention">{words.needsAttention}</h2>
        <small>{words.needsAttentionLead}</small>
        <Link to="/tasks" search={{ status: 'failed' }} className="link ml-auto text-size-1">
          {words.allFailed}
        </Link>
      </header>
      <ul>
        {tasks.map((task) => (
          <Item key={task.id} task={task} />
        ))}
      </ul>
    </section>
  );
};
