import type { NewRiskRule, RiskRule } from '@berth/client';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FormFailure } from '../../parts/form-failure.tsx';
import { zoneName } from '../../parts/zone.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import { useDeleteRule, useRuleForm } from './risk-data.ts';
import { toDraft, toNewDraft, toValues, type RuleDraft } from './rule-draft.ts';
import { RuleFields } from './rule-fields.tsx';
import { Trial } from './trial.tsx';

const words = pageTexts.risk.form;
/** What the API names, and the form shows beside a field. */
const fields = [
  'name',
  'kind',
  'amount',
  'percent',
  'basis',
  'trail',
  'trail_stops_at',
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
  const { run, isRunning } = useDeleteRule(onDone);
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        {words.delete}
      </Button>
      <Dialog
        title={words.deleteTitle}
        description={words.deleteText}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        actions={
          <Button kind="destroy" isBusy={isRunning} onClick={() => run(rule)}>
            {words.confirmDelete}
          </Button>
        }
      />
    </>
  );
};

export interface RuleDialogProps {
  /** undefined: a new one. */
  rule: RiskRule | undefined;
  /** That a new one is for. */
  terminals: readonly string[];
  names: ReadonlyMap<string, string>;
  onClose: () => void;
}

const RuleForm = ({ rule, terminals, names, onClose }: RuleDialogProps) => {
  const [draft, setDraft] = useState<RuleDraft>(() => (rule ? toDraft(rule) : toNewDraft(zoneName, terminals)));
  const form = useRuleForm(rule, onClose);
  /** A rule without a name can be tried, too. */
  const read = (): NewRiskRule | undefined => {
    const tried = { ...draft, name: draft.name.trim() || words.createTitle };
    const result = toValues(tried);
    return form.verify(tried) && 'values' in result ? result.values : undefined;
  };
  return (
    <form
      {...form.props}
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        form.submit(draft);
      }}
    >
      <FormFailure error={form.error} fields={fields} />
      <div className="rule-form">
        <RuleFields
          draft={draft}
          onChange={(changes) => setDraft({ ...draft, ...changes })}
          toError={form.toError}
          isNew={rule === undefined}
        />
        <Trial toValues={read} current={JSON.stringify(draft)} names={names} />
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
    </form>
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
