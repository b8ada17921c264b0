import type { TerminalCounts } from '@berth/client';
import { useNavigate } from '@tanstack/react-router';
import { useAllProjects } from '../../data/projects.ts';
import { useRegions } from '../../data/regions.ts';
import { Chips } from '../../parts/chips.tsx';
import { Shape } from '../../parts/status-mark.tsx';
import type { Tone } from '../../parts/status-mark.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import {
  sortColumns,
  statusGroupNames,
  statusGroups,
  toSort,
  toSorted,
  type SortColumn,
  type StatusGroup,
  type TerminalsSearch,
} from './search.ts';
import { useCounts } from './terminals-data.ts';

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

/** The groups of statuses with their counts. An empty group is shown only where it is selected, or is always shown. */
export const StatusPills = ({ asked }: { asked: TerminalsSearch }) => {
  const filter = useFilter();
  const { data: counts } = useCounts(asked);
  const isShown = (group: StatusGroup): boolean =>
    (group !== 'deleting' && group !== 'installing') || asked.status === group || countOf(counts, group) > 0;
  return (
    <Chips
      label={words.filter}
      values={[undefined, ...statusGroupNames.filter(isShown)]}
      chosen={asked.status}
      onChoose={(group) => filter({ status: asked.status === group ? undefined : group })}
    >
      {(group) =>
        group === undefined ? (
          <>
            {words.all} <span className="figure">{counts?.total.toLocaleString() ?? '…'}</span>
          </>
        ) : (
          <>
            <span data-tone={tones[group]} className="inline-flex">
              <Shape tone={tones[group]} />
            </span>
            {words.groups[group]}{' '}
            <span className="figure">{counts ? countOf(counts, group).toLocaleString() : '…'}</span>
          </>
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
  className?: string;
}

/** A filter with a few options. */
const Choice = ({ label, value, onChoose, options, className = '' }: ChoiceProps) => (
  <select
    className={`input filter-choice ${className}`}
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

/** Region and project, and on a phone, where columns have no headers, the order. */
export const Choices = ({ asked }: { asked: TerminalsSearch }) => {
  const filter = useFilter();
  const { data: regions = [] } = useRegions();
  const { data: projects = [] } = useAllProjects();
  const order = toSort(asked);
  return (
    <>
      <Choice
        label={words.place}
        value={asked.region === undefined ? '' : String(asked.region)}
        onChoose={(value) => filter({ region: value === '' ? undefined : Number(value) })}
        options={[['', words.allRegions], ...regions.map(({ id, label }) => [String(id), label] as const)]}
      />
      <Choice
        label={words.group}
        value={asked.project ?? ''}
        onChoose={(value) => filter({ project: value === '' ? undefined : value })}
        options={[['', words.allProjects], ...projects.map(({ id, name }) => [id, toShort(name)] as const)]}
      />
      <Choice
        className="card-only"
        label={words.sort}
        value={order.sort}
        onChoose={(value) => {
          const { sort, direction } = toSorted({ sort: 'created_at' }, value as SortColumn);
          filter({ sort, direction: value === 'created_at' ? undefined : direction });
        }}
        options={sortColumns.map((column) => [column, words.sorts[column]] as const)}
      />
    </>
  );
};
