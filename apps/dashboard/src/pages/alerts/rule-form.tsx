import { alertConditions, MAX_RULE_CHANNELS, momentaryConditions } from '@berth/contract/values';
import { ValidationError, type AlertChannel, type AlertCondition, type AlertRule } from '@berth/client';
import { useState, type FormEvent } from 'react';
import { useAction } from '../../data/action.ts';
import { toUsualChannels, toUsualMinutes, useAlertChannels } from '../../data/alerts.ts';
import { berth } from '../../data/berth.ts';
import { toFieldError } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { Dialog, FormFoot } from '../../parts/dialog.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { FormFailure } from '../../parts/form-failure.tsx';
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

const ChannelChoice = ({
  channels,
  chosen,
  onChange,
}: {
  channels: readonly AlertChannel[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}) => (
  <fieldset className="grid gap-2">
    <legend className="field-name mb-1">{rules.channels}</legend>
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
  </fieldset>
);

/** The first error about a field, or about a part of it: `terminal_ids.3`. */
const toError =
  (error: Error | null) =>
  (field: string): string | undefined =>
    error instanceof ValidationError
      ? Object.entries(error.errors).find(([name]) => name === field || name.startsWith(`${field}.`))?.[1][0]
      : undefined;

const FIELDS = [
  'name',
  'when',
  'for_minutes',
  'remind_every_minutes',
  'project_id',
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

const Timing = ({
  draft,
  error,
  change,
}: {
  draft: Draft;
  error: Error | null;
  change: (part: Partial<Draft>) => void;
}) => (
  <div className="grid grid-cols-2 gap-3">
    {isMomentary(draft.when) ? null : (
      <Field
        label={rules.after}
        note={rules.afterNote}
        type="number"
        required
        min={0}
        max={1440}
        value={draft.minutes}
        onChange={({ target }) => change({ minutes: target.value })}
        error={toFieldError(error, 'for_minutes')}
      />
    )}
    <Field
      label={rules.remind}
      note={rules.remindNote}
      type="number"
      min={5}
      max={10_080}
      value={draft.remind}
      onChange={({ target }) => change({ remind: target.value })}
      error={toFieldError(error, 'remind_every_minutes')}
    />
  </div>
);

const Form = ({ rule, channels, onClose }: FormProps) => {
  const [draft, setDraft] = useState(() => toDraft(rule, channels));
  const change = (part: Partial<Draft>): void => setDraft((old) => ({ ...old, ...part }));
  const { run, isRunning, error } = useAction({
    run: (body: ReturnType<typeof toBody>) =>
      rule ? berth.alerts.rules.update(rule.id, body) : berth.alerts.rules.create(body),
    done: ({ name }: AlertRule) => (rule ? rules.saved(isolate(name)) : rules.created(isolate(name))),
    touches: () => [keys.alerts.all],
    onDone: onClose,
    isSilentOnError: true,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    run(toBody(draft));
  };
  const isNone = draft.scope.terminalIds?.length === 0;
  return (
    <form className="grid gap-4" onSubmit={submit}>
      <FormFailure error={error} fields={FIELDS} />
      <Select
        label={rules.when}
        note={words.conditionNotes[draft.when]}
        value={draft.when}
        autoFocus
        onChange={({ target }) => {
          const when = alertConditions.find((known) => known === target.value) ?? draft.when;
          change({ when, minutes: String(toUsualMinutes(when)) });
        }}
        error={toFieldError(error, 'when')}
      >
        {alertConditions.map((when) => (
          <option key={when} value={when}>
            {words.conditions[when]}
          </option>
        ))}
      </Select>
      <Field
        label={rules.name}
        maxLength={100}
        autoComplete="off"
        value={draft.name}
        placeholder={words.conditions[draft.when]}
        onChange={({ target }) => change({ name: target.value })}
        error={toFieldError(error, 'name')}
      />
      <Timing draft={draft} error={error} change={change} />
      <ScopeField scope={draft.scope} onChange={(scope) => change({ scope })} toError={toError(error)} />
      <ChannelChoice channels={channels} chosen={draft.channelIds} onChange={(channelIds) => change({ channelIds })} />
      <QuietHoursField quiet={draft.quiet} onChange={(quiet) => change({ quiet })} toError={toError(error)} />
      <FormFoot onClose={onClose} isBusy={isRunning} whyNot={isNone ? rules.chooseOne : undefined}>
        {rule ? texts.save : rules.create}
      </FormFoot>
    </form>
  );
};

/** A new rule begins with all channels, so they are read first. */
const WithChannels = (props: Omit<FormProps, 'channels'>) => {
  const { data, error } = useAlertChannels();
  if (data === undefined && error === null) return <Skeleton className="h-64 w-full" />;
  return <Form {...props} channels={data ?? []} />;
};

/** Creates or edits a rule. */
export const RuleDialog = ({ isOpen, ...props }: Omit<FormProps, 'channels'> & { isOpen: boolean }) => (
  <Dialog title={props.rule ? rules.edit : rules.create} isOpen={isOpen} onClose={props.onClose} hasOwnActions>
    <WithChannels {...props} />
  </Dialog>
);
