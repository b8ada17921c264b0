import { useState } from 'react';
import { Field } from '../../parts/field.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { Choice, toFirstError, Typed, type RuleFieldsProps } from './rule-choice.tsx';
import { has, isSpecial } from './rule-draft.ts';

const form = pageTexts.riskForm;

const Counting = ({ draft, onChange, toError }: RuleFieldsProps) => (
  <>
    {has.measure(draft) ? (
      <Choice
        label={form.measure}
        value={draft.measure}
        choices={draft.kind === 'profit_target' ? form.targetMeasures : form.measures}
        error={toError('measure')}
        onChoose={(measure) => onChange({ measure })}
      />
    ) : null}
    {has.dayTrail(draft) ? (
      <Choice
        label={form.dayTrail}
        value={draft.dayTrail}
        choices={form.dayTrails}
        error={toError('trail')}
        onChoose={(dayTrail) => onChange({ dayTrail })}
      />
    ) : null}
    {has.cash(draft) ? (
      <Choice
        label={form.cash}
        value={draft.cash}
        choices={form.cashFlows}
        error={toError('cash_flows')}
        onChoose={(cash) => onChange({ cash })}
      />
    ) : null}
  </>
);

/** What is rarely set: folded until somebody wants it, it is set, or something in it is wrong. */
export const MoreFields = (props: RuleFieldsProps) => {
  const { draft, onChange, toError } = props;
  const [isOpen, setOpen] = useState(() => isSpecial(draft));
  const isWrong =
    toFirstError(props, 'measure', 'cash_flows', 'buffer', 'confirm_ms', 'currency') !== undefined ||
    (has.dayTrail(draft) && toError('trail') !== undefined);
  return (
    <details className="more-fields" open={isOpen || isWrong} onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>{form.more}</summary>
      <div className="rule-fields">
        <Counting {...props} />
        <div className="pair">
          {has.buffer(draft) ? (
            <Typed
              label={form.buffer}
              value={draft.buffer}
              note={form.bufferNote}
              error={toError('buffer')}
              onType={(buffer) => onChange({ buffer })}
            />
          ) : null}
          <Typed
            label={form.confirm}
            value={draft.confirm}
            note={form.confirmNote}
            error={toError('confirm_ms')}
            onType={(confirm) => onChange({ confirm })}
          />
        </div>
        <Field
          label={form.currency}
          autoComplete="off"
          maxLength={16}
          value={draft.currency}
          note={form.currencyNote}
          error={toError('currency')}
          onChange={({ target: { value } }) => onChange({ currency: value })}
        />
      </div>
    </details>
  );
};
