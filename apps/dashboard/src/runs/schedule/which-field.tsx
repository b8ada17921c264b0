import { useQuery } from '@tanstack/react-query';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { useAllProjects } from '../../data/projects.ts';
import { useTerminalChoices } from '../../data/terminal-choices.ts';
import { Select } from '../../parts/field.tsx';
import { TerminalPicker } from '../../parts/terminal-picker.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import type { Which } from './draft.ts';

const words = pageTexts.schedules;

type Filter = Readonly<Record<string, unknown>>;

/** "status failed, region 0": of one that this page does not offer. */
export const toFilterWords = (filter: Filter): string =>
  Object.entries(filter)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');

/** How many terminals a filter matches at the moment. */
const useMatching = (filter: Filter | undefined): number | undefined =>
  useQuery({
    queryKey: keys.terminals.counts(filter ?? {}),
    queryFn: ({ signal }) => berth.terminals.counts(filter, { signal }),
    enabled: filter !== undefined,
  }).data?.total;

const SOME = 'some';

export interface WhichFieldProps {
  which: Which;
  onChange: (which: Which) => void;
}

/** All terminals, those of a project or with a tag, or some; and how many that is. */
export const WhichField = ({ which, onChange }: WhichFieldProps) => {
  const { data: projects = [] } = useAllProjects();
  const tags = useTerminalChoices().data?.tags ?? [];
  const filter = 'filter' in which ? which.filter : undefined;
  const total = useMatching(filter);
  const options = new Map([
    ['{}', words.all],
    ...projects.map(({ id, name }) => [JSON.stringify({ project_id: id }), words.projectOption(name)] as const),
    ...tags.map((tag) => [JSON.stringify({ tag }), words.tagOption(tag)] as const),
  ]);
  const chosen = filter === undefined ? SOME : JSON.stringify(filter);
  if (filter !== undefined && !options.has(chosen)) options.set(chosen, words.filterOption(toFilterWords(filter)));
  return (
    <>
      <Select
        label={words.which}
        name="filter"
        value={chosen}
        note={filter === undefined || total === undefined ? undefined : words.now(total)}
        onChange={({ target: { value } }) =>
          onChange(value === SOME ? { terminal_ids: [] } : { filter: JSON.parse(value) as Filter })
        }
      >
        {[...options].map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
        <option value={SOME}>{words.some}</option>
      </Select>
      {filter === undefined && 'terminal_ids' in which ? (
        <TerminalPicker chosen={which.terminal_ids} onChange={(ids) => onChange({ terminal_ids: ids })} />
      ) : null}
    </>
  );
};
