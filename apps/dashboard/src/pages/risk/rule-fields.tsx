import { riskActions, riskBases, riskKinds, riskTrails } from '@berth/contract/values';
import type { TerminalItem } from '@berth/client';
import { useAllProjects } from '../../data/projects.ts';
import { Check } from '../../parts/check.tsx';
import { Field, FieldGroup, Select } from '../../parts/field.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { MAX_NAMED, useNamedTerminals } from './risk-data.ts';
import { hasBasis, isPlain, type DraftErrors, type RuleDraft } from './rule-draft.ts';

const words = pageTexts.risk;
const { form } = words;

export interface RuleFieldsProps {
  draft: RuleDraft;
  onChange: (changes: Partial<RuleDraft>) => void;
  /** What is wrong with a field, by its name in the API. */
  toError: (field: string) => string | undefined;
  isNew: boolean;
}

/** Of several names that one field stands for. */
const toFirstError = ({ toError }: RuleFieldsProps, ...names: (keyof DraftErrors)[]): string | undefined =>
  names.map(toError).find((text) => text !== undefined);

const toUnitName = ({ kind }: RuleDraft): string =>
  kind === 'max_volume' ? form.units.lots : kind === 'max_positions' ? form.units.positions : form.units.amount;

const Limit = (props: RuleFieldsProps) => {
  const { draft, onChange } = props;
  return (
    <div className="pair">
      <Field
        label={form.limit}
        inputMode="decimal"
        autoComplete="off"
        required
        value={draft.limit}
        error={toFirstError(props, 'amount', 'percent')}
        onChange={({ target: { value } }) => onChange({ limit: value })}
      />
      <Select
        label={form.unit}
        value={isPlain(draft.kind) ? 'amount' : draft.unit}
        disabled={isPlain(draft.kind)}
        onChange={({ target: { value } }) => onChange({ unit: value === 'amount' ? 'amount' : 'percent' })}
      >
        {isPlain(draft.kind) ? null : <option value="percent">{form.units.percent}</option>}
        <option value="amount">{toUnitName(draft)}</option>
      </Select>
    </div>
  );
};

const Measure = (props: RuleFieldsProps) => {
  const { draft, onChange } = props;
  return (
    <>
      {hasBasis(draft.kind) ? (
        <Select
          label={form.basis}
          value={draft.basis}
          error={props.toError('basis')}
          onChange={({ target: { value } }) => onChange({ basis: riskBases.find((one) => one === value) ?? 'higher' })}
        >
          {riskBases.map((basis) => (
            <option key={basis} value={basis}>
              {form.bases[basis]}
            </option>
          ))}
        </Select>
      ) : null}
      {draft.kind === 'trailing_drawdown' ? (
        <div className="pair">
          <Select
            label={form.trail}
            value={draft.trail}
            error={props.toError('trail')}
            onChange={({ target: { value } }) =>
              onChange({ trail: riskTrails.find((one) => one === value) ?? 'equity' })
            }
          >
            {riskTrails.map((trail) => (
              <option key={trail} value={trail}>
                {form.trails[trail]}
              </option>
            ))}
          </Select>
          <Field
            label={form.stopsAt}
            inputMode="decimal"
            autoComplete="off"
            value={draft.stopsAt}
            error={props.toError('trail_stops_at')}
            onChange={({ target: { value } }) => onChange({ stopsAt: value })}
          />
        </div>
      ) : null}
    </>
  );
};

const Days = (props: RuleFieldsProps) => {
  const { draft, onChange } = props;
  return (
    <>
      <div className="pair">
        <Field
          label={form.warn}
          type="number"
          min={1}
          max={99}
          required
          value={draft.warn}
          error={props.toError('warn_percent')}
          onChange={({ target: { value } }) => onChange({ warn: value })}
        />
        <Field
          label={form.dayStarts}
          type="time"
          required
          value={draft.dayStarts}
          error={props.toError('day_starts')}
          onChange={({ target: { value } }) => onChange({ dayStarts: value })}
        />
      </div>
      <Field
        label={form.zone}
        autoComplete="off"
        required
        value={draft.zone}
        note={form.zoneNote}
        error={props.toError('time_zone')}
        onChange={({ target: { value } }) => onChange({ zone: value })}
      />
    </>
  );
};

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

const Scope = (props: RuleFieldsProps) => {
  const { draft, onChange } = props;
  const { data: projects = [] } = useAllProjects();
  const { data: terminals = [] } = useNamedTerminals();
  const error = toFirstError(props, 'terminal_ids', 'all');
  return (
    <>
      <Select
        label={form.scope}
        value={draft.scope}
        error={error}
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

const Actions = (props: RuleFieldsProps) => {
  const { draft, onChange } = props;
  return (
    <FieldGroup label={form.actions} error={props.toError('actions')} className="choices">
      {riskActions.map((action) => (
        <label key={action} className="choice">
          <input
            type="checkbox"
            checked={draft.actions.includes(action)}
            onChange={({ target: { checked } }) =>
              onChange({
                actions: riskActions.filter((one) => (one === action ? checked : draft.actions.includes(one))),
              })
            }
          />
          <span>
            {words.actions[action]}
            <small>{form.actionNotes[action]}</small>
          </span>
        </label>
      ))}
      {draft.actions.includes('close_all') ? <p className="field-note">{form.dangerous}</p> : null}
    </FieldGroup>
  );
};

/** The fields of a rule. */
export const RuleFields = (props: RuleFieldsProps) => {
  const { draft, onChange, isNew } = props;
  return (
    <div className="rule-fields">
      <Field
        label={form.name}
        required
        autoFocus
        maxLength={255}
        autoComplete="off"
        value={draft.name}
        error={props.toError('name')}
        onChange={({ target: { value } }) => onChange({ name: value })}
      />
      <Select
        label={form.kind}
        value={draft.kind}
        disabled={!isNew}
        note={isNew ? undefined : form.kindNote}
        error={props.toError('kind')}
        onChange={({ target: { value } }) => onChange({ kind: riskKinds.find((one) => one === value) ?? 'daily_loss' })}
      >
        {riskKinds.map((kind) => (
          <option key={kind} value={kind}>
            {words.kinds[kind]}
          </option>
        ))}
      </Select>
      <Limit {...props} />
      <Measure {...props} />
      <Days {...props} />
      <Scope {...props} />
      <Actions {...props} />
    </div>
  );
};
