import { useNavigate } from '@tanstack/react-router';
import { X } from 'lucide-react';
import type { TaskTypeName } from '@berth/client';
import { useAllProjects } from '../../data/projects.ts';
import { Chips } from '../../parts/chips.tsx';
import { Views } from '../../parts/views/views.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { statusGroupNames, toFilters, toTasksSearch, typeNames, type TasksSearch } from './search.ts';

const words = pageTexts.tasks;

interface ChoiceProps {
  search: TasksSearch;
  onChange: (change: { [Name in keyof TasksSearch]: TasksSearch[Name] | undefined }) => void;
}

const StatusChips = ({ search, onChange }: ChoiceProps) => (
  <Chips
    label={words.filter}
    values={[undefined, ...statusGroupNames]}
    chosen={search.status}
    onChoose={(status) => onChange({ status })}
  >
    {(group) => words.groups[group ?? 'all']}
  </Chips>
);

const Choices = ({ search, onChange }: ChoiceProps) => {
  const { data: projects } = useAllProjects();
  return (
    <>
      <select
        className="input filter"
        data-compact=""
        aria-label={words.type}
        value={search.type ?? ''}
        onChange={({ target }) => onChange({ type: typeNames.find((name: TaskTypeName) => name === target.value) })}
      >
        <option value="">{words.anyType}</option>
        {typeNames.map((name) => (
          <option key={name} value={name}>
            {pageTexts.taskWords.types[name]}
          </option>
        ))}
      </select>
      <select
        className="input filter"
        data-compact=""
        aria-label={words.project}
        value={search.project ?? ''}
        onChange={({ target }) => onChange({ project: target.value === '' ? undefined : target.value })}
      >
        <option value="">{words.anyProject}</option>
        {projects?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </>
  );
};

const toKept = (given: Record<string, unknown>): TasksSearch => toFilters(toTasksSearch(given));

export interface TaskFiltersProps {
  search: TasksSearch;
  /** Name of the terminal that is filtered by, if known. */
  terminalName: string | undefined;
}

/** Filters by status, type, project and terminal, all of them in the URL. */
export const TaskFilters = ({ search, terminalName }: TaskFiltersProps) => {
  const navigate = useNavigate({ from: '/tasks' });
  const onChange: ChoiceProps['onChange'] = (change) =>
    void navigate({ search: toFilters({ ...search, ...change } as TasksSearch), replace: true });
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <StatusChips search={search} onChange={onChange} />
      <Choices search={search} onChange={onChange} />
      {search.terminal === undefined ? null : (
        <button
          type="button"
          className="chip"
          aria-pressed="true"
          title={words.everyTerminal}
          onClick={() => onChange({ terminal: undefined })}
        >
          {words.ofTerminal(isolate(terminalName ?? words.oneTerminal))}
          <X aria-hidden="true" size={14} />
          <span className="sr-only">{words.everyTerminal}</span>
        </button>
      )}
      <Views
        page="tasks"
        search={search}
        toKept={toKept}
        onShow={(given) => void navigate({ search: toKept(given) })}
      />
    </div>
  );
};
