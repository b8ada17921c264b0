/** Tasks of all users that failed or do not move, and users who are at a limit. */
import { stepAdvice, type OperatorOverview, type StepCode } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { useWhyNot } from '../../data/session.ts';
import { Button } from '../../parts/button.tsx';
import { toBytesText } from '../../parts/bytes.ts';
import { NameCell } from '../../parts/name-cell.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { Card, Sheet } from '../../parts/surfaces.tsx';
import { Table } from '../../parts/table.tsx';
import { toTitle } from '../../parts/task/task-facts.ts';
import { Time } from '../../parts/time.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';

const words = pageTexts.overview;
const { taskColumns: columns } = words;

const isCode = (code: string): code is StepCode => Object.hasOwn(stepAdvice, code);

type FailedTask = OperatorOverview['failed_tasks']['items'][number];
type StuckTask = OperatorOverview['stuck_tasks'][number];

const CancelTask = ({ id, type }: StuckTask) => {
  const whyNot = useWhyNot('operator');
  const { run, isRunning } = useAction({
    run: () => berth.operator.cancelTask(id),
    done: () => words.taskCanceled,
    touches: () => [keys.hosts.overview],
  });
  return (
    <Button
      whyNot={whyNot}
      isBusy={isRunning}
      aria-label={words.cancelTask(toTitle({ type }))}
      onClick={() => run(undefined)}
    >
      {texts.cancel}
    </Button>
  );
};

/** Its code, and what that means. */
const Failed = ({ code }: { code: string | null }) => (
  <span>
    {code ?? words.unknown}
    {code !== null && isCode(code) ? <small className="block text-ink-2">{stepAdvice[code]}</small> : null}
  </span>
);

const Row = ({ task }: { task: FailedTask | StuckTask }) => {
  const isStuck = 'reason' in task;
  const { host_id: host, host_name: hostName, terminal_id: terminalId, user_name: owner, since } = task;
  return (
    <tr>
      <NameCell note={owner}>{toTitle(task)}</NameCell>
      <td data-card="end">
        <StatusMark tone={isStuck ? 'wait' : 'bad'}>{isStuck ? words.states.stuck : words.states.failed}</StatusMark>
      </td>
      <td className="num" data-card="below" data-label={columns.since}>
        <Time at={since} />
      </td>
      <td data-card={host === null ? undefined : 'below'} data-label={columns.host}>
        {host === null ? (
          <span className="none">–</span>
        ) : (
          <Link to="/hosts" search={{ host }} className="link">
            <bdi>{hostName}</bdi>
          </Link>
        )}
      </td>
      <td data-card="below">
        <span className="flex flex-wrap items-center gap-3">
          {isStuck ? words.reasons[task.reason] : <Failed code={task.code} />}
          <Link to="/all-terminals" search={{ why: terminalId }} className="link">
            {words.why}
          </Link>
          {isStuck && task.reason === 'waiting' ? <CancelTask {...task} /> : null}
        </span>
      </td>
    </tr>
  );
};

export const TroubledTasks = ({ overview }: { overview: OperatorOverview }) => {
  const { stuck_tasks: stuck, failed_tasks: failed } = overview;
  const items = [...stuck, ...failed.items];
  return (
    <section className="mb-4 grid gap-2">
      <h2>{words.tasks}</h2>
      {items.length === 0 ? (
        <p className="text-ink-2">{words.noTasks}</p>
      ) : (
        <>
          <p className="text-ink-2">{words.failed(failed.total)}</p>
          <Sheet>
            <Table
              caption={words.tasks}
              columns={[columns.task, columns.state, { number: columns.since }, columns.host, columns.reason]}
              items={items}
              expected={3}
            >
              {(task) => <Row key={`${task.id} ${task.since}`} task={task} />}
            </Table>
          </Sheet>
        </>
      )}
    </section>
  );
};

export const LimitedUsers = ({ users }: { users: OperatorOverview['limited_users'] }) =>
  users.length === 0 ? null : (
    <Card title={words.limits} className="mb-4">
      <ul className="grid gap-1">
        {users.map(({ id, name, email, limit, used, most }) => (
          <li key={`${id} ${limit}`} className="flex flex-wrap gap-x-3">
            <Link to="/users" search={{ search: email }} className="link">
              <bdi>{name}</bdi>
            </Link>
            <span className="figure text-ink-2">
              {limit === 'terminals'
                ? words.limit.terminals(used, most)
                : words.limit.storage(toBytesText(used), toBytesText(most))}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
