import type { NewRiskRule, RiskRule } from '@berth/client';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Select } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Confirm } from '../../parts/item-dialog.tsx';
import { zoneName } from '../../parts/zone.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import { useDeleteRule, useRuleForm } from './risk-data.ts';
import { toDraft, toNewDraft, type RuleDraft } from './rule-draft.ts';
import { RuleFields } from './rule-fields.tsx';
import { presetNames, toPreset, type Preset } from './rule-presets.ts';
import { toTerms, toValues } from './rule-values.ts';
import { toSentence } from './rule-words.ts';
import { Trial } from './trial.tsx';

const words = pageTexts.riskForm;
/** What the API names, and the form shows beside a field. */
const fields = [
  'name',
  'kind',
  'amount',
  'percent',
  'percent_of',
  'basis',
  'measure',
  'trail',
  'trail_stops_at',
  'cash_flows',
  'buffer',
  'confirm_ms',
  'lock_until',
  'currency',
  'day_starts',
  'time_zone',
  'warn_percent',
  'terminal_ids',
  'project_id',
  'all',
  'actions',
];

const DeleteRule = ({ rule, onDone }: { rule: RiskRule; onDone: () => void }) => {
  const [isOpen, setOpen] = useState(false);
  const remove = useDeleteRule(onDone);
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        {words.delete}
      </Button>
      <Confirm
        item={isOpen ? rule : undefined}
        title={words.deleteTitle}
        lead={words.deleteText}
        verb={words.confirmDelete}
        action={remove}
        onClose={() => setOpen(false)}
      />
    </>
  );
};

const PresetField = ({ onChoose }: { onChoose: (preset: Preset | undefined) => void }) => {
  const [chosen, setChosen] = useState<Preset>();
  return (
    <Select
      label={words.preset}
      value={chosen ?? ''}
      note={words.presetNote}
      onChange={({ target: { value } }) => {
        const preset = presetNames.find(([one]) => one === value)?.[0];
        setChosen(preset);
        onChoose(preset);
      }}
    >
      <option value="">{words.ownPreset}</option>
      {presetNames.map(([preset, name]) => (
        <option key={preset} value={preset}>
          {name}
        </option>
      ))}
    </Select>
  );
};

/** In words, what the form says as it stands. */
const Says = ({ draft }: { draft: RuleDraft }) => (
  <section className="tried" aria-label={words.says}>
    <h2>{words.says}</h2>
    <p>{toSentence(toTerms(draft), true)}</p>
  </section>
);

export interface RuleDialogProps {
  /** undefined: a new one. */
  rule: RiskRule | undefined;
  /** That a new one is for. */
  terminals: readonly string[];
  names: ReadonlyMap<string, string>;
  onClose: () => void;
}

const RuleForm = ({ rule, terminals, names, onClose }: RuleDialogProps) => {
  const [fresh] = useState<RuleDraft>(() => (rule ? toDraft(rule) : toNewDraft(zoneName, terminals)));
  const [draft, setDraft] = useState(fresh);
  const form = useRuleForm(rule, onClose);
  /** A rule without a name can be tried, too. */
  const read = (): NewRiskRule | undefined => {
    const tried = { ...draft, name: draft.name.trim() || words.createTitle };
    const result = toValues(tried);
    return form.verify(tried) && 'values' in result ? result.values : undefined;
  };
  return (
    <Form form={form} fields={fields} toValues={() => draft}>
      <div className="rule-form">
        <div className="rule-fields">
          {rule ? null : (
            <PresetField onChoose={(preset) => setDraft(preset ? toPreset(preset, draft, fresh) : fresh)} />
          )}
          <RuleFields
            draft={draft}
            onChange={(changes) => setDraft({ ...draft, ...changes })}
            toError={form.toError}
            isNew={rule === undefined}
          />
        </div>
        <div className="rule-said">
          <Says draft={draft} />
          <Trial toValues={read} current={JSON.stringify(draft)} names={names} />
        </div>
      </div>
      <div className="dialog-foot">
        {rule ? <DeleteRule rule={rule} onDone={onClose} /> : null}
        <Button className="ml-auto" onClick={onClose}>
          {texts.cancel}
        </Button>
        <Button type="submit" kind="primary" isBusy={form.isRunning}>
          {rule ? words.save : words.create}
        </Button>
      </div>
    </Form>
  );
};

/** Creates or changes a rule, and tries it on the past. */
export const RuleDialog = (props: RuleDialogProps) => (
  <Dialog
    title={props.rule ? words.editTitle : words.createTitle}
    isOpen
    onClose={props.onClose}
    size="wide"
    hasOwnActions
  >
    <RuleForm {...props} />
  </Dialog>
);
