import { riskActions } from '@berth/contract/values';
import { Field, FieldGroup, Select } from '../../parts/field.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { Choice, toFirstError, Typed, type RuleFieldsProps } from './rule-choice.tsx';
import { has, isPlain, toMeasure, type RuleDraft } from './rule-draft.ts';
import { MoreFields } from './rule-more.tsx';
import { Scope } from './rule-scope.tsx';

const words = pageTexts.risk;
const form = pageTexts.riskForm;

const toUnits = (draft: RuleDraft): Partial<Record<RuleDraft['unit'], string>> => {
  const { units } = form;
  if (draft.kind === 'max_volume') return { amount: units.lots };
  if (draft.kind === 'max_positions') return { amount: units.positions };
  if (draft.kind === 'equity_floor') return { amount: units.amount };
  return {
    percent: units.percentOf[draft.kind],
    ...(has.initial(draft) ? { initial: units.initial } : {}),
    amount: units.amount,
  };
};

const Limit = (props: RuleFieldsProps) => {
  const { draft, onChange } = props;
  const units = toUnits(draft);
  return (
    <div className="pair">
      <Typed
        label={form.limit}
        isRequired
        value={draft.limit}
        error={toFirstError(props, 'amount', 'percent')}
        onType={(limit) => onChange({ limit })}
      />
      <Select
        label={form.unit}
        value={units[draft.unit] === undefined ? Object.keys(units)[0] : draft.unit}
        disabled={isPlain(draft.kind)}
        error={props.toError('percent_of')}
        onChange={({ target: { value } }) => onChange({ unit: value as RuleDraft['unit'] })}
      >
        {Object.entries(units).map(([unit, name]) => (
          <option key={unit} value={unit}>
            {name}
          </option>
        ))}
      </Select>
    </div>
  );
};

const Trail = (props: RuleFieldsProps) => {
  const { draft, onChange, toError } = props;
  return (
    <>
      <Choice
        label={form.trail}
        value={draft.trail}
        choices={form.trails}
        error={toError('trail')}
        onChoose={(trail) => onChange({ trail })}
      />
      <div className="pair">
        <Choice
          label={form.stop}
          value={draft.stop}
          choices={form.stops}
          error={undefined}
          onChoose={(stop) => onChange({ stop })}
        />
        {draft.stop === 'never' ? null : (
          <Typed
            label={draft.stop === 'amount' ? form.stopsAt : form.stopsAbove}
            isRequired
            value={draft.stopsAt}
            error={toError('trail_stops_at')}
            onType={(stopsAt) => onChange({ stopsAt })}
          />
        )}
      </div>
    </>
  );
};

const Days = ({ draft, onChange, toError }: RuleFieldsProps) => (
  <div className="pair">
    <Field
      label={form.dayStarts}
      type="time"
      required
      value={draft.dayStarts}
      error={toError('day_starts')}
      onChange={({ target: { value } }) => onChange({ dayStarts: value })}
    />
    <Field
      label={form.zone}
      autoComplete="off"
      required
      value={draft.zone}
      note={form.zoneNote}
      error={toError('time_zone')}
      onChange={({ target: { value } }) => onChange({ zone: value })}
    />
  </div>
);

/** What the limit counts from, and when it warns. */
const Counting = (props: RuleFieldsProps) => {
  const { draft, onChange, toError } = props;
  return (
    <>
      {has.basis(draft) ? (
        <Choice
          label={form.basis}
          value={draft.basis}
          choices={form.bases}
          note={draft.kind === 'daily_loss' ? undefined : form.startNote}
          error={toError('basis')}
          onChoose={(basis) => onChange({ basis })}
        />
      ) : null}
      {has.trail(draft) ? <Trail {...props} /> : null}
      {has.warning(draft) ? (
        <Field
          label={form.warn}
          type="number"
          min={1}
          max={99}
          required
          value={draft.warn}
          error={toError('warn_percent')}
          onChange={({ target: { value } }) => onChange({ warn: value })}
        />
      ) : null}
    </>
  );
};

const Actions = ({ draft, onChange, toError }: RuleFieldsProps) => (
  <>
    <FieldGroup label={form.actions} name="actions" className="choices">
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
    {has.lockEnd(draft) ? (
      <Choice
        label={form.lockUntil}
        value={draft.lockUntil}
        choices={form.lockEnds}
        error={toError('lock_until')}
        onChoose={(lockUntil) => onChange({ lockUntil })}
      />
    ) : null}
  </>
);

/** The fields of a rule: those that count for it. */
export const RuleFields = ({ isNew, ...props }: RuleFieldsProps & { isNew: boolean }) => {
  const { draft, onChange, toError } = props;
  return (
    <div className="rule-fields">
      <Field
        label={form.name}
        required
        autoFocus
        maxLength={255}
        autoComplete="off"
        value={draft.name}
        error={toError('name')}
        onChange={({ target: { value } }) => onChange({ name: value })}
      />
      <Select
        label={form.kind}
        value={draft.kind}
        disabled={!isNew}
        note={isNew ? undefined : form.kindNote}
        error={toError('kind')}
        onChange={({ target: { value } }) => {
          const kind = value as RuleDraft['kind'];
          onChange({ kind, measure: toMeasure(kind) });
        }}
      >
        {Object.entries(words.kinds).map(([kind, name]) => (
          <option key={kind} value={kind}>
            {name}
          </option>
        ))}
      </Select>
      <Limit {...props} />
      <Counting {...props} />
      {has.limitByDays(draft) ? <Days {...props} /> : null}
      <Actions {...props} />
      {has.days(draft) && !has.limitByDays(draft) ? <Days {...props} /> : null}
      <Scope {...props} />
      <MoreFields {...props} />
    </div>
  );
};
