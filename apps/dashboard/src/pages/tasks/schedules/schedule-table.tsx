import type { Schedule } from '@berth/client';
import { useQueryClient } from '@tanstack/react-query';
import { Pencil, Trash2 } from 'lucide-react';
import { useAction } from '../../../data/action.ts';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { useAllProjects } from '../../../data/projects.ts';
import { MenuItem, MenuLine } from '../../../parts/menu.tsx';
import { MoreMenu } from '../../../parts/more-menu.tsx';
import { StatusMark } from '../../../parts/status-mark.tsx';
import { Switch } from '../../../parts/switch.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { show } from '../../../runs/requests.ts';
import { toTitle } from '../../../runs/run.ts';
import { pageTexts } from '../../../texts/page-texts.ts';
import { toWhich } from '../../../runs/schedule/draft.ts';
import { NextTimes } from '../../../runs/schedule/next-times.tsx';
import { toCronWords } from '../../../runs/schedule/times.ts';
import { toFilterWords } from '../../../runs/schedule/which-field.tsx';

const words = pageTexts.schedules;
const { columns } = words;

export interface ScheduleTableProps {
  /** Undefined while they are read. */
  schedules: readonly Schedule[] | undefined;
  onEdit: (schedule: Schedule) => void;
  onDelete: (schedule: Schedule) => void;
}

type RowProps = Omit<ScheduleTableProps, 'schedules'> & { schedule: Schedule };

const Where = ({ schedule }: { schedule: Schedule }) => {
  const { data: projects } = useAllProjects();
  const which = toWhich(schedule);
  if ('terminal_ids' in which) return words.terminals(which.terminal_ids.length);
  const { project_id: projectId, tag, ...others } = which.filter;
  if (Object.keys(others).length > 0) return words.ofFilter(toFilterWords(which.filter));
  const parts = [
    ...(projectId === undefined ? [] : [words.ofProject(projects?.find(({ id }) => id === projectId)?.name ?? '…')]),
    ...(typeof tag === 'string' ? [words.ofTag(tag)] : []),
  ];
  return parts.join(', ') || words.ofAll;
};

/** The run of that time, in the dialog of all runs. */
const Results = ({ name, runId }: { name: string; runId: string }) => {
  const client = useQueryClient();
  const read = useAction({
    run: (id: string) => berth.bulkRuns.get(id),
    onDone: (run) => {
      client.setQueryData(keys.bulkRuns.one(run.id), run);
      show(run.id);
    },
  });
  return (
    <button
      type="button"
      className="link"
      aria-haspopup="dialog"
      aria-label={words.results(name)}
      aria-busy={read.isRunning || undefined}
      onClick={() => read.run(runId)}
    >
      {words.show}
    </button>
  );
};

const LastRun = ({ schedule: { name, last_run: run } }: { schedule: Schedule }) => {
  if (run === null) return <span className="none">{words.neverRun}</span>;
  const isStarted = run.outcome === 'started';
  return (
    <span className="status-two">
      <span>
        <StatusMark tone={isStarted ? 'good' : run.outcome === 'failed' ? 'bad' : 'rest'}>
          {words[run.outcome]}
        </StatusMark>{' '}
        <Time at={run.at} />
      </span>
      <small>{run.run_id === null ? run.message : <Results name={name} runId={run.run_id} />}</small>
    </span>
  );
};

const OnOff = ({ schedule }: { schedule: Schedule }) => {
  const save = useAction({
    run: (enabled: boolean) => berth.schedules.update(schedule.id, { enabled }),
    done: ({ name, enabled }: Schedule) => (enabled ? words.turnedOn : words.turnedOff)(name),
    touches: () => [keys.schedules],
  });
  return (
    <Switch label={schedule.name} isOn={schedule.enabled} isBusy={save.isRunning} onChange={save.run}>
      {schedule.enabled ? words.on : words.off}
    </Switch>
  );
};

const Row = ({ schedule, onEdit, onDelete }: RowProps) => (
  <tr>
    <td data-card="name" className="wide">
      <button type="button" className="row-name row-link" aria-haspopup="dialog" onClick={() => onEdit(schedule)}>
        <b>
          <bdi>{schedule.name}</bdi>
        </b>
        <small className="truncate font-text">
          {toTitle(schedule)}, <Where schedule={schedule} />
        </small>
      </button>
    </td>
    <td data-card="below" className="whitespace-normal">
      <div className="desk:w-52">
        {toCronWords(schedule.cron)}
        <small className="block text-ink-3">
          <bdi>{schedule.time_zone}</bdi>, {words.missedNotes[schedule.missed]}
        </small>
      </div>
    </td>
    <td data-card="below">
      {schedule.enabled ? (
        <NextTimes times={schedule.next_runs.map((at) => new Date(at))} zone={schedule.time_zone} />
      ) : (
        <span className="none">{words.noNext}</span>
      )}
    </td>
    <td data-card="below">
      <LastRun schedule={schedule} />
    </td>
    <td data-card="below">
      <OnOff schedule={schedule} />
    </td>
    <td data-card="end" className="num">
      <MoreMenu label={words.more(schedule.name)}>
        <MenuItem icon={<Pencil />} onSelect={() => onEdit(schedule)}>
          {words.edit}
        </MenuItem>
        <MenuLine />
        <MenuItem icon={<Trash2 />} isDangerous onSelect={() => onDelete(schedule)}>
          {words.delete}
        </MenuItem>
      </MoreMenu>
    </td>
  </tr>
);

export const ScheduleTable = ({ schedules, ...others }: ScheduleTableProps) => (
  <Table
    caption={words.caption}
    columns={[columns.name, columns.when, columns.next, columns.last, columns.on]}
    actions={columns.actions}
    items={schedules}
    expected={3}
  >
    {(schedule) => <Row key={schedule.id} schedule={schedule} {...others} />}
  </Table>
);
