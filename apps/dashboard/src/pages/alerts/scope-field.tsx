import { useAllProjects } from '../../data/projects.ts';
import { Select } from '../../parts/field.tsx';
import { TerminalPicker } from '../../parts/terminal-picker.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.alerts.rules;

/** Whose alerts: of all terminals, of those in a project, or of some. */
export interface Scope {
  projectId: string | null;
  /** null: all. */
  terminalIds: readonly string[] | null;
}

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
