import type { TerminalCounts } from '@berth/client';
import { useNavigate } from '@tanstack/react-router';
import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { useAllProjects } from '../../data/projects.ts';
import { useRegions } from '../../data/regions.ts';
import { useTerminalChoices } from '../../data/terminal-choices.ts';
import { Button } from '../../parts/button.tsx';
import { Chips } from '../../parts/chips.tsx';
import { laterWhenOpen } from '../../parts/later.tsx';
import { Shape } from '../../parts/status-mark.tsx';
import type { Tone } from '../../parts/status-mark.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { ColumnsMenu } from './columns-menu.tsx';
import {
  sortColumns,
  statusGroupNames,
  statusGroups,
  toFirstOrder,
  toSort,
  type SortColumn,
  type StatusGroup,
  type TerminalsSearch,
} from './search.ts';
import { useCounts } from './terminals-data.ts';
import { TerminalViews } from './views.tsx';

const words = pageTexts.terminals;

const tones: Record<StatusGroup, Tone> = {
  active: 'good',
  'needs-attention': 'bad',
  connecting: 'wait',
  installing: 'wait',
  stopped: 'rest',
  deleting: 'rest',
};

/** Changes the filters in the URL; the list starts again at its first page. */
export const useFilter = () => {
  const navigate = useNavigate({ from: '/terminals' });
  return (change: Partial<Record<keyof TerminalsSearch, unknown>>, replace = false): void => {
    const merge = ({ page: _, ...old }: TerminalsSearch): TerminalsSearch =>
      Object.fromEntries(Object.entries({ ...old, ...change }).filter(([, value]) => value !== undefined));
    void navigate({ search: merge, replace });
  };
};

const countOf = (counts: TerminalCounts | undefined, group: StatusGroup): number =>
  (counts?.statuses ?? []).reduce(
    (sum, { status_name: name, total }) =>
      (statusGroups[group] as readonly string[]).includes(name) ? sum + total : sum,
    0,
  );

/** Those that are stopped may be logged out, just stopped, or some of both. */
const toName = (group: StatusGroup, counts: TerminalCounts | undefined): string => {
  if (group !== 'stopped') return words.groups[group];
  const { total = 0, logged_out: loggedOut = 0 } = counts?.statuses.find((one) => one.status_name === 'STOPPED') ?? {};
  return total === 0 ? words.groups.stopped : words.stopped(loggedOut, total);
};

interface GroupProps {
  group: StatusGroup;
  counts: TerminalCounts | undefined;
}

const Group = ({ group, counts }: GroupProps) => {
  const count = countOf(counts, group);
  return (
    <>
      <span
        data-tone={tones[group]}
        data-urgent={(group === 'needs-attention' && count > 0) || undefined}
        className="inline-flex"
      >
        <Shape tone={tones[group]} />
      </span>
      {toName(group, counts)} <span className="figure">{counts ? count.toLocaleString() : '…'}</span>
    </>
  );
};

/** The groups of statuses with their counts, which add up to all. An empty one is shown only where it is selected. */
const StatusPills = ({ asked }: { asked: TerminalsSearch }) => {
  const filter = useFilter();
  const { data: counts } = useCounts(asked);
  const isShown = (group: StatusGroup): boolean =>
    group === 'needs-attention' || asked.status === group || countOf(counts, group) > 0;
  const [first, ...others] = statusGroupNames.filter(isShown);
  return (
    <Chips
      label={words.filter}
      values={[first, undefined, ...others]}
      chosen={asked.status}
      onChoose={(group) => filter({ status: asked.status === group ? undefined : group })}
    >
      {(group) =>
        group === undefined ? (
          <>
            {words.all} <span className="figure">{counts?.total.toLocaleString() ?? '…'}</span>
          </>
        ) : (
          <Group group={group} counts={counts} />
        )
      }
    </Chips>
  );
};

interface ChoiceProps {
  label: string;
  value: string;
  onChoose: (value: string) => void;
  options: readonly (readonly [value: string, name: string])[];
}

/** A filter with a few options. */
const Choice = ({ label, value, onChoose, options }: ChoiceProps) => (
  <select
    className="input filter-choice"
    data-compact=""
    data-chosen={value === '' ? undefined : ''}
    aria-label={label}
    value={value}
    onChange={(event) => onChoose(event.target.value)}
  >
    {options.map(([option, name]) => (
      <option key={option} value={option}>
        {name}
      </option>
    ))}
  </select>
);

/** Longer names would make the list of a select wider than the screen. */
const MAX_NAME = 40;
const toShort = (name: string): string => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name);

/** The tags of all terminals, and the one that is chosen. */
const TagChoice = ({ asked }: { asked: TerminalsSearch }) => {
  const filter = useFilter();
  const found = new Set(useTerminalChoices().data?.tags);
  if (asked.tag !== undefined) found.add(asked.tag);
  if (found.size === 0) return null;
  return (
    <Choice
      label={words.tag}
      value={asked.tag ?? ''}
      onChoose={(value) => filter({ tag: value === '' ? undefined : value })}
      options={[['', words.allTags], ...[...found].sort().map((tag) => [tag, toShort(tag)] as const)]}
    />
  );
};

/** Region and project, where there is more than one to choose from, and tags, where there are some. */
export const Choices = ({ asked }: { asked: TerminalsSearch }) => {
  const filter = useFilter();
  const { data: regions = [] } = useRegions();
  const { data: projects = [] } = useAllProjects();
  return (
    <>
      {regions.length < 2 && asked.region === undefined ? null : (
        <Choice
          label={words.place}
          value={asked.region === undefined ? '' : String(asked.region)}
          onChoose={(value) => filter({ region: value === '' ? undefined : Number(value) })}
          options={[['', words.allRegions], ...regions.map(({ id, label }) => [String(id), label] as const)]}
        />
      )}
      {projects.length < 2 && asked.project === undefined ? null : (
        <Choice
          label={words.group}
          value={asked.project ?? ''}
          onChoose={(value) => filter({ project: value === '' ? undefined : value })}
          options={[['', words.allProjects], ...projects.map(({ id, name }) => [id, toShort(name)] as const)]}
        />
      )}
      <TagChoice asked={asked} />
    </>
  );
};

/** The order, where columns have no headers. */
export const OrderChoice = ({ asked }: { asked: TerminalsSearch }) => {
  const filter = useFilter();
  return (
    <Choice
      label={words.sort}
      value={toSort(asked).sort}
      onChoose={(value) => filter(toFirstOrder(value as SortColumn))}
      options={sortColumns.map((column) => [column, words.sorts[column]] as const)}
    />
  );
};

const FilterSheet = laterWhenOpen(async () => (await import('./filter-sheet.tsx')).FilterSheet);

/** On a phone: the same, and the order, in a sheet. */
const FilterButton = ({ asked }: { asked: TerminalsSearch }) => {
  const [isOpen, setOpen] = useState(false);
  const chosen = [asked.region, asked.project, asked.tag, asked.sort].filter((value) => value !== undefined).length;
  return (
    <>
      <Button className="filter-button" icon={<SlidersHorizontal />} onClick={() => setOpen(true)}>
        {words.filters(chosen)}
      </Button>
      <FilterSheet asked={asked} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
};

/** What is listed, and in which columns. */
export const ListTools = ({ asked }: { asked: TerminalsSearch }) => (
  <div className="list-tools">
    <StatusPills asked={asked} />
    <div className="list-choices">
      <TerminalViews asked={asked} />
      <Choices asked={asked} />
      <ColumnsMenu />
      <FilterButton asked={asked} />
    </div>
  </div>
);
