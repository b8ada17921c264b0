/** What became of all tasks, from the database. */
import { TaskStatus, TaskType } from '@berth/contract';
import type { FarScene } from '../faults/far-scene.ts';

export interface TaskFigures {
  /** All: accepted ones, those whose answer was lost, and the server's own. */
  total: number;
  completed: number;
  failed: number;
  canceled: number;
  terminated: number;
  attempts: number;
  /** Attempts beyond the first of each task. */
  retries: number;
  /** Tasks that did not complete, by how, type and the code of their last step: "FAILED SCREENSHOT E_HOST_LOST". */
  notCompleted: Record<string, number>;
}

interface Row {
  status: TaskStatus;
  type: TaskType;
  code: string | null;
  tasks: number;
  attempts: number;
  retries: number;
}

const toName = (table: Record<string, number>, value: number): string =>
  Object.entries(table).find(([, one]) => one === value)?.[0] ?? String(value);

export const readTaskFigures = async (scene: FarScene): Promise<TaskFigures> => {
  const rows = await scene.query<Row>(
    `select status, type, result -> 'runner_result' -> -1 ->> 'code' as code, count(*)::int as tasks,
       sum(attempts)::int as attempts, sum(greatest(attempts - 1, 0))::int as retries
     from tasks group by 1, 2, 3 order by tasks desc, type`,
  );
  const sum = (field: 'tasks' | 'attempts' | 'retries', isMeant: (row: Row) => boolean = () => true) =>
    rows.filter(isMeant).reduce((total, row) => total + row[field], 0);
  const count = (status: TaskStatus) => sum('tasks', (row) => row.status === status);
  const toText = ({ status, type, code }: Row) =>
    [toName(TaskStatus, status), toName(TaskType, type), code ?? 'without a code'].join(' ');
  return {
    total: sum('tasks'),
    completed: count(TaskStatus.COMPLETED),
    failed: count(TaskStatus.FAILED),
    canceled: count(TaskStatus.CANCELED),
    terminated: count(TaskStatus.TERMINATED),
    attempts: sum('attempts'),
    retries: sum('retries'),
    notCompleted: Object.fromEntries(
      rows.filter(({ status }) => status !== TaskStatus.COMPLETED).map((row) => [toText(row), row.tasks]),
    ),
  };
};
