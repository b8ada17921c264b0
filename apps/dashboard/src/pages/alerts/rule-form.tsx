import { alertConditions, MAX_RULE_CHANNELS, momentaryConditions } from '@berth/contract/values';
import type { AlertChannel, AlertCondition, AlertRule } from '@berth/client';
import { useState } from 'react';
import { toUsualChannels, toUsualMinutes, useAlertChannels } from '../../data/alerts.ts';
import { berth } from '../../data/berth.ts';
import { isBlank, isWithin, useForm, type FieldErrors } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, FieldGroup, Select } from '../../parts/field.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import { QuietHoursField, type QuietHours } from './quiet-hours.tsx';
import { ScopeField, type Scope } from './scope-field.tsx';

const words = pageTexts.alerts;
const rules = words.rules;

/** A rule as it is being written. */
interface Draft {
  name: string;
  when: AlertCondition;
  minutes: string;
  /** Empty: no reminders. */
  remind: string;
  scope: Scope;
  channelIds: readonly string[];
  quiet: QuietHours | null;
}

const toDraft = (rule: AlertRule | undefined, channels: readonly AlertChannel[]): Draft => ({
  name: rule?.name ?? '',
  when: rule?.when ?? 'terminal_down',
  minutes: String(rule?.for_minutes ?? toUsualMinutes('terminal_down')),
  remind: String(rule?.remind_every_minutes ?? ''),
  scope: { projectId: rule?.project_id ?? null, terminalIds: rule?.terminal_ids ?? null },
  channelIds: rule?.channel_ids ?? toUsualChannels(channels).map(({ id }) => id),
  quiet: rule?.quiet_hours ?? null,
});

const isMomentary = (when: AlertCondition): boolean => momentaryConditions.includes(when);

const toBody = ({ name, when, minutes, remind, scope, channelIds, quiet }: Draft) => ({
  name: name.trim() || words.conditions[when],
  when,
  for_minutes: isMomentary(when) ? 0 : Number(minutes),
  remind_every_minutes: remind.trim() === '' ? null : Number(remind),
  project_id: scope.projectId,
  terminal_ids: scope.terminalIds === null ? null : [...scope.terminalIds],
  channel_ids: [...channelIds],
  quiet_hours: quiet,
});

interface ChannelChoiceProps {
  channels: readonly AlertChannel[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

const ChannelChoice = ({ channels, chosen, onChange }: ChannelChoiceProps) => (
  <FieldGroup label={rules.channels} name="channel_ids">
    {channels.length === 0 ? <p className="none">{rules.noChannels}</p> : null}
    {channels.map(({ id, name, kind }) => (
      <label key={id} className="choice">
        <input
          type="checkbox"
          checked={chosen.includes(id)}
          disabled={!chosen.includes(id) && chosen.length >= MAX_RULE_CHANNELS}
          onChange={({ target }) => onChange(target.checked ? [...chosen, id] : chosen.filter((other) => other !== id))}
        />
        <span>
          <bdi>{name}</bdi> <small>{words.kinds[kind]}</small>
        </span>
      </label>
    ))}
  </FieldGroup>
);

const isTime = (text: string): boolean => /^\d\d:\d\d$/.test(text);

const check = ({ when, minutes, remind, scope, quiet }: Draft): FieldErrors => ({
  for_minutes: isMomentary(when) || isWithin(minutes, 0, 1_440) ? undefined : rules.enterAfter,
  remind_every_minutes: isBlank(remind) || isWithin(remind, 5, 10_080) ? undefined : rules.enterRemind,
  terminal_ids: scope.terminalIds?.length === 0 ? rules.chooseOne : undefined,
  'quiet_hours.from': quiet === null || isTime(quiet.from) ? undefined : rules.enterTime,
  'quiet_hours.to':
    quiet === null || (isTime(quiet.to) && quiet.to !== quiet.from)
      ? undefined
      : isTime(quiet.to)
        ? rules.differentTimes
        : rules.enterTime,
});

const FIELDS = [
  'name',
  'when',
  'for_minutes',
  'remind_every_minutes',
  'project_id',
  'terminal_ids',
  'channel_ids',
  'quiet_hours.from',
  'quiet_hours.to',
  'quiet_hours.time_zone',
];

interface FormProps {
  /** Undefined: a new one. */
  rule: AlertRule | undefined;
  channels: readonly AlertChannel[];
  onClose: () => void;
}

const Timing = ({ draft, change }: { draft: Draft; change: (part: Partial<Draft>) => void }) => (
  <div className="grid grid-cols-2 gap-3">
    {isMomentary(draft.when) ? null : (
      <Field
        label={rules.after}
        name="for_minutes"
        note={rules.afterNote}
        type="number"
        required
        min={0}
        max={1440}
        value={draft.minutes}
        onChange={({ target }) => change({ minutes: target.value })}
      />
    )}
    <Field
      label={rules.remind}
      name="remind_every_minutes"
      note={rules.remindNote}
      type="number"
      min={5}
      max={10_080}
      value={draft.remind}
      onChange={({ target }) => change({ remind: target.value })}
    />
  </div>
);

const RuleForm = ({ rule, channels, onClose }: FormProps) => {
  const [draft, setDraft] = useState(() => toDraft(rule, channels));
  const change = (part: Partial<Draft>): void => setDraft((old) => ({ ...old, ...part }));
  const form = useForm({
    check,
    run: (written: Draft) =>
      rule ? berth.alerts.rules.update(rule.id, toBody(written)) : berth.alerts.rules.create(toBody(written)),
    done: ({ name }: AlertRule) => (rule ? rules.saved(isolate(name)) : rules.created(isolate(name))),
    touches: () => [keys.alerts.all],
    onDone: onClose,
  });
  return (
    <DialogForm
      form={form}
      fields={FIELDS}
      toValues={() => draft}
      verb={rule ? texts.save : rules.create}
      onClose={onClose}
    >
      <Select
        label={rules.when}
        name="when"
        note={words.conditionNotes[draft.when]}
        value={draft.when}
        autoFocus
        onChange={({ target }) => {
          const when = alertConditions.find((known) => known === target.value) ?? draft.when;
          change({ when, minutes: String(toUsualMinutes(when)) });
        }}
      >
        {alertConditions.map((when) => (
          <option key={when} value={when}>
            {words.conditions[when]}
          </option>
        ))}
      </Select>
      <Field
        label={rules.name}
        name="name"
        maxLength={100}
        value={draft.name}
        placeholder={words.conditions[draft.when]}
        onChange={({ target }) => change({ name: target.value })}
      />
      <Timing draft={draft} change={change} />
      <ScopeField scope={draft.scope} onChange={(scope) => change({ scope })} />
      <ChannelChoice channels={channels} chosen={draft.channelIds} onChange={(channelIds) => change({ channelIds })} />
      <QuietHoursField quiet={draft.quiet} onChange={(quiet) => change({ quiet })} />
    </DialogForm>
  );
};

/** A new rule begins with all channels, so they are read first. */
const WithChannels = (props: Omit<FormProps, 'channels'>) => {
  const { data, error } = useAlertChannels();
  if (data === undefined && error === null) return <Skeleton className="h-64 w-full" />;
  return <RuleForm {...props} channels={data ?? []} />;
};

/** Creates or edits a rule. */
export const RuleDialog = ({ isOpen, ...props }: Omit<FormProps, 'channels'> & { isOpen: boolean }) => (
  <Dialog title={props.rule ? rules.edit : rules.create} isOpen={isOpen} onClose={props.onClose} hasOwnActions>
    <WithChannels {...props} />
  </Dialog>
);
