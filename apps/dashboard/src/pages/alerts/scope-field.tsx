import { useState } from 'react';
import { useAllProjects } from '../../data/projects.ts';
import { useFoundTerminals } from '../../data/terminal-choices.ts';
import { Field, Select } from '../../parts/field.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.alerts.rules;

/** Whose alerts: of all terminals, of those in a project, or of some. */
export interface Scope {
  projectId: string | null;
  /** null: all. */
  terminalIds: readonly string[] | null;
}

interface PickerProps {
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

/** Some of the terminals, found by their names. Those that are chosen stay so while others are searched for. */
const TerminalPicker = ({ chosen, onChange }: PickerProps) => {
  const [search, setSearch] = useState('');
  const { data } = useFoundTerminals(search);
  return (
    <fieldset className="grid gap-2">
      <legend className="field-name mb-1">{words.chosen(chosen.length)}</legend>
      <Field
        label={words.search}
        name="terminal_ids"
        value={search}
        maxLength={255}
        onChange={({ target }) => setSearch(target.value)}
        onKeyDown={(event) => (event.key === 'Enter' ? event.preventDefault() : undefined)}
      />
      <div className="event-boxes">
        {data?.data.length === 0 ? <p className="none">{words.noMatch}</p> : null}
        <div>
          {data?.data.map(({ id, name, login }) => (
            <label key={id} className="event-box picked">
              <input
                type="checkbox"
                checked={chosen.includes(id)}
                onChange={({ target }) =>
                  onChange(target.checked ? [...chosen, id] : chosen.filter((other) => other !== id))
                }
              />
              <bdi>{name}</bdi> <small className="figure">{login}</small>
            </label>
          ))}
        </div>
      </div>
    </fieldset>
  );
};

const SOME = 'some';

export interface ScopeFieldProps {
  scope: Scope;
  onChange: (scope: Scope) => void;
}

export const ScopeField = ({ scope, onChange }: ScopeFieldProps) => {
  const { data: projects = [] } = useAllProjects();
  const choose = (value: string): void => {
    if (value === SOME) onChange({ ...scope, terminalIds: scope.terminalIds ?? [] });
    else onChange({ projectId: value === '' ? null : value, terminalIds: null });
  };
  return (
    <>
      <Select
        label={words.terminals}
        name="project_id"
        value={scope.terminalIds === null ? (scope.projectId ?? '') : SOME}
        onChange={({ target }) => choose(target.value)}
      >
        <option value="">{words.all}</option>
        <option value={SOME}>{words.some}</option>
        {projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {words.ofProject(name)}
          </option>
        ))}
      </Select>
      {scope.terminalIds === null ? null : (
        <TerminalPicker
          chosen={scope.terminalIds}
          onChange={(terminalIds) => onChange({ projectId: null, terminalIds })}
        />
      )}
    </>
  );
};
