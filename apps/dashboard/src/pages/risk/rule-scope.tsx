import type { TerminalItem } from '@berth/client';
import { useAllProjects } from '../../data/projects.ts';
import { Check } from '../../parts/check.tsx';
import { Select } from '../../parts/field.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { MAX_NAMED, useNamedTerminals } from './risk-data.ts';
import { toFirstError, type RuleFieldsProps } from './rule-choice.tsx';

const form = pageTexts.riskForm;

const Pick = ({
  terminals,
  chosen,
  onChoose,
}: {
  terminals: readonly TerminalItem[];
  chosen: readonly string[];
  onChoose: (ids: string[]) => void;
}) => (
  <div className="pick-list" role="group" aria-label={form.scopes.terminals}>
    {terminals.map(({ id, name, login }) => (
      <Check
        key={id}
        label={
          <>
            <bdi>{name}</bdi> <small className="figure">{login}</small>
          </>
        }
        isOn={chosen.includes(id)}
        onChange={(isOn) => onChoose(isOn ? [...chosen, id] : chosen.filter((one) => one !== id))}
      />
    ))}
  </div>
);

/** Which terminals the rule is for. */
export const Scope = (props: RuleFieldsProps) => {
  const { draft, onChange } = props;
  const { data: projects = [] } = useAllProjects();
  const { data: terminals = [] } = useNamedTerminals();
  return (
    <>
      <Select
        label={form.scope}
        value={draft.scope}
        error={toFirstError(props, 'terminal_ids', 'all')}
        note={draft.scope === 'terminals' ? form.chosen(draft.terminals.length) : undefined}
        onChange={({ target: { value } }) => {
          const scope = value === 'project' || value === 'terminals' ? value : 'all';
          onChange({
            scope,
            ...(scope === 'project' && draft.project === '' ? { project: projects[0]?.id ?? '' } : {}),
          });
        }}
      >
        {(['all', 'project', 'terminals'] as const).map((scope) => (
          <option key={scope} value={scope}>
            {form.scopes[scope]}
          </option>
        ))}
      </Select>
      {draft.scope === 'project' ? (
        <Select
          label={form.project}
          value={draft.project}
          error={props.toError('project_id')}
          onChange={({ target: { value } }) => onChange({ project: value })}
        >
          {projects.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      ) : null}
      {draft.scope === 'terminals' ? (
        <>
          <Pick terminals={terminals} chosen={draft.terminals} onChoose={(ids) => onChange({ terminals: ids })} />
          {terminals.length >= MAX_NAMED ? <p className="field-note">{form.manyTerminals}</p> : null}
        </>
      ) : null}
    </>
  );
};
