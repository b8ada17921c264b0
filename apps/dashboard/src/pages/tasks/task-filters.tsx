import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { X } from 'lucide-react';
import type { TaskTypeName } from '@berth/client';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { statusGroupNames, toFilters, typeNames, type TasksSearch } from './search.ts';

const words = pageTexts.tasks;
const MAX_PROJECTS = 100;

const useProjectChoice = () =>
  useQuery({
    queryKey: keys.projects.list({ per_page: MAX_PROJECTS }),
    queryFn: ({ signal }) => berth.projects.page({ per_page: MAX_PROJECTS }, { signal }),
  });

interface ChoiceProps {
  search: TasksSearch;
  onChange: (change: { [Name in keyof TasksSearch]: TasksSearch[Name] | undefined }) => void;
}

const StatusChips = ({ search, onChange }: ChoiceProps) => (
  <div className="chips" role="group" aria-label={words.filter}>
    {[undefined, ...statusGroupNames].map((group) => (
      <button
        key={group ?? 'all'}
        type="button"
        className="chip"
        aria-pressed={search.status === group}
        onClick={() => onChange({ status: group })}
      >
        {words.groups[group ?? 'all']}
      </button>
    ))}
  </div>
);

const Choices = ({ search, onChange }: ChoiceProps) => {
  const { data: projects } = useProjectChoice();
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
        {projects?.data.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </>
  );
};

export interface TaskFiltersProps {
  search: TasksSearch;
  /** Name of the terminal that is filtered by, where it is known. */
  terminalName: string | undefined;
}

/** What is shown: by status, type, project and terminal, all of it in the address. */
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
    </div>
  );
};
