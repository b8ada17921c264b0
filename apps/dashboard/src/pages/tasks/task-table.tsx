import type { BulkRun, Task } from '@berth/client';
import { useNow } from '../../parts/clock.ts';
import { Button } from '../../parts/button.tsx';
import { StatusMark, type Tone } from '../../parts/status-mark.tsx';
import { Table } from '../../parts/table.tsx';
import { TaskButton } from '../../parts/task/task-buttons.tsx';
import { toFailure } from '../../parts/task/task-facts.ts';
import { TaskStatusMark } from '../../parts/task/task-status.tsx';
import { Time } from '../../parts/time.tsx';
import { toScaleMs, toSpans } from '../../parts/timeline/spans.ts';
import { TaskDuration, TimelineBar, TimelineLegend, toLength } from '../../parts/timeline/timeline-bar.tsx';
import { RunProgress } from '../../runs/run-progress.tsx';
import { countExceptions, isOver, toTitle } from '../../runs/run.ts';
import { show } from '../../runs/requests.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { TaskLink, TerminalLink } from './task-links.tsx';

const { columns, caption, run: words } = pageTexts.tasks;

const TaskRow = ({ task, scaleMs }: { task: Task; scaleMs: number }) => (
  <tr>
    <td data-card="name" className="wide">
      <span className="row-name">
        <TaskLink task={task} />
        <small className="truncate font-text">
          <bdi>{toFailure(task)?.message}</bdi>
        </small>
      </span>
    </td>
    <td data-card="below" className="task-terminal">
      <TerminalLink task={task} />
    </td>
    <td data-card="end">
      <TaskStatusMark status={task.status} />
    </td>
    <td className="task-course">
      <TimelineBar task={task} scaleMs={scaleMs} />
    </td>
    <td className="num">
      <TaskDuration task={task} />
    </td>
    <td data-card="below" className="num">
      <Time at={task.created_at} />
    </td>
    <td className="num">
      <TaskButton task={task} />
    </td>
  </tr>
);

const toRunStatus = (run: BulkRun): [Tone, string] => {
  const { succeeded, total } = run;
  if (!isOver(run)) return ['wait', words.open(succeeded + countExceptions(run), total)];
  if (succeeded === total) return ['good', words.done];
  return [run.failed > 0 ? 'bad' : 'rest', words.notDone(countExceptions(run), total)];
};

const RunDuration = ({ run }: { run: BulkRun }) => {
  const now = useNow(isOver(run) ? 60_000 : 1_000);
  const from = Math.max(Date.parse(run.created_at), Date.parse(run.planned_at ?? run.created_at));
  const to = run.finished_at === null ? now : Date.parse(run.finished_at);
  return <span className="figure">{toLength(Math.max(0, to - from))}</span>;
};

/** The same task on many terminals: its results are in the dialog of the run. */
const RunRow = ({ run }: { run: BulkRun }) => {
  const open = (): void => show(run.id);
  const [tone, text] = toRunStatus(run);
  return (
    <tr>
      <td data-card="name" className="wide">
        <span className="row-name">
          <button type="button" className="task-link" onClick={open}>
            <b>{toTitle(run)}</b>
          </button>
        </span>
      </td>
      <td data-card="below" className="task-terminal">
        {words.terminals(run.total)}
      </td>
      <td data-card="end">
        <StatusMark tone={tone}>{text}</StatusMark>
      </td>
      <td className="task-course">
        <RunProgress run={run} />
      </td>
      <td className="num">
        <RunDuration run={run} />
      </td>
      <td data-card="below" className="num">
        <Time at={run.created_at} />
      </td>
      <td className="num">
        <Button onClick={open}>{words.show}</Button>
      </td>
    </tr>
  );
};

/** @param tasks undefined while loading: skeleton rows reserve the space */
export const TaskTable = ({ tasks }: { tasks: readonly Task[] | undefined }) => {
  const now = useNow(60_000);
  const scaleMs = toScaleMs((tasks ?? []).filter(({ run }) => !run).map((task) => toSpans(task, now)));
  return (
    <>
      <Table
        caption={caption}
        columns={[
          columns.task,
          columns.terminal,
          columns.status,
          columns.timeline(toLength(scaleMs)),
          { number: columns.duration },
          { number: columns.created },
        ]}
        actions={columns.actions}
        items={tasks}
        expected={8}
      >
        {(task) =>
          task.run && task.run.total > 1 ? (
            <RunRow key={task.id} run={task.run} />
          ) : (
            <TaskRow key={task.id} task={task} scaleMs={scaleMs} />
          )
        }
      </Table>
      <TimelineLegend />
    </>
  );
};
