import type { AlertChannel, AlertRule } from '@berth/client';
import { Pencil, Trash2 } from 'lucide-react';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { useAllProjects } from '../../data/projects.ts';
import { MenuItem, MenuLine } from '../../parts/menu.tsx';
import { MoreMenu } from '../../parts/more-menu.tsx';
import { Switch } from '../../parts/switch.tsx';
import { Table } from '../../parts/table.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { HoursBar } from './quiet-hours.tsx';

const words = pageTexts.alerts.rules;
const { columns } = words;

export interface RuleTableProps {
  /** Undefined while they are read. */
  rules: readonly AlertRule[] | undefined;
  channels: readonly AlertChannel[] | undefined;
  onEdit: (rule: AlertRule) => void;
  onDelete: (rule: AlertRule) => void;
}

type RowProps = Omit<RuleTableProps, 'rules'> & { rule: AlertRule };

const Scope = ({ rule: { project_id: projectId, terminal_ids: ids } }: { rule: AlertRule }) => {
  const { data: projects } = useAllProjects();
  if (ids !== null) return pageTexts.alerts.terminals(ids.length);
  if (projectId === null) return words.ofAll;
  return words.inProject(isolate(projects?.find(({ id }) => id === projectId)?.name ?? ''));
};

const SendTo = ({ rule, channels }: { rule: AlertRule; channels: readonly AlertChannel[] | undefined }) => {
  if (rule.channel_ids.length === 0) return <span className="none">{words.onlyHere}</span>;
  return (channels ?? [])
    .filter(({ id }) => rule.channel_ids.includes(id))
    .map(({ name }) => isolate(name))
    .join(', ');
};

const Quiet = ({ quiet }: { quiet: AlertRule['quiet_hours'] }) =>
  quiet === null ? (
    <span className="none">{words.always}</span>
  ) : (
    <span className="hours-line">
      <HoursBar quiet={quiet} />
      <small className="figure" aria-hidden="true">
        {quiet.from}–{quiet.to}
      </small>
    </span>
  );

const OnOff = ({ rule }: { rule: AlertRule }) => {
  const save = useAction({
    run: (enabled: boolean) => berth.alerts.rules.update(rule.id, { enabled }),
    done: ({ name, enabled }: AlertRule) => (enabled ? words.turnedOn : words.turnedOff)(isolate(name)),
    touches: () => [keys.alerts.all],
  });
  return (
    <Switch label={rule.name} isOn={rule.enabled} isBusy={save.isRunning} onChange={save.run}>
      {rule.enabled ? words.on : words.off}
    </Switch>
  );
};

const Row = ({ rule, channels, onEdit, onDelete }: RowProps) => (
  <tr>
    <td data-card="name" className="wide">
      <button type="button" className="row-name row-link" aria-haspopup="dialog" onClick={() => onEdit(rule)}>
        <b>
          <bdi>{rule.name}</bdi>
        </b>
        <small className="truncate font-text">
          {pageTexts.alerts.conditions[rule.when]}, <Scope rule={rule} />
        </small>
      </button>
    </td>
    <td data-card="below">{rule.for_minutes === 0 ? words.atOnce : words.minutes(rule.for_minutes)}</td>
    <td data-card="below" className="whitespace-normal">
      <SendTo rule={rule} channels={channels} />
    </td>
    <td data-card="below" className="max-desk:hidden">
      <Quiet quiet={rule.quiet_hours} />
    </td>
    <td data-card="below">
      <OnOff rule={rule} />
    </td>
    <td data-card="end" className="num">
      <MoreMenu label={words.more(rule.name)}>
        <MenuItem icon={<Pencil />} onSelect={() => onEdit(rule)}>
          {words.edit}
        </MenuItem>
        <MenuLine />
        <MenuItem icon={<Trash2 />} isDangerous onSelect={() => onDelete(rule)}>
          {words.delete}
        </MenuItem>
      </MoreMenu>
    </td>
  </tr>
);

export const RuleTable = ({ rules, ...others }: RuleTableProps) => (
  <Table
    caption={words.caption}
    columns={[columns.when, columns.after, columns.to, columns.quiet, columns.on]}
    actions={columns.actions}
    items={rules}
    expected={3}
  >
    {(rule) => <Row key={rule.id} rule={rule} {...others} />}
  </Table>
);
