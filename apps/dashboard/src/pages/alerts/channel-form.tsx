import { alertChannelKinds, KEPT_SECRET } from '@berth/contract/values';
import type { AlertChannel, AlertChannelKind, AlertChannelSettings } from '@berth/client';
import { useState, type FormEvent } from 'react';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { readForm, toFieldError } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { Dialog, FormFoot } from '../../parts/dialog.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { FormFailure } from '../../parts/form-failure.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import { channelKinds, secretSettings, type SettingName } from './channel-kinds.tsx';

const page = pageTexts.alerts;
const words = page.channels;

/** Where an optional setting is emptied, the API wants to be told so, or it would be kept. */
const nullable: ReadonlySet<SettingName> = new Set(['api_url', 'token']);

const toSettings = (
  kind: AlertChannelKind,
  form: Readonly<Record<string, string>>,
  isNew: boolean,
): AlertChannelSettings => {
  const { required, optional } = channelKinds[kind];
  const values = [...required, ...optional].flatMap((name): [string, string | null][] => {
    const value = (form[name] ?? '').trim();
    if (value !== '') return [[name, value]];
    return !isNew && nullable.has(name) ? [[name, null]] : [];
  });
  return Object.fromEntries(values);
};

interface SettingProps {
  name: SettingName;
  isRequired: boolean;
  channel: AlertChannel | undefined;
  error: Error | null;
}

const Setting = ({ name, isRequired, channel, error }: SettingProps) => {
  const { label, note } = words.fields[name];
  const isSecret = secretSettings.has(name);
  const isStored = isSecret && channel?.settings[name] === KEPT_SECRET;
  return (
    <Field
      label={label}
      name={name}
      // A password manager has nothing to offer here, and must not keep it.
      autoComplete="off"
      spellCheck={false}
      maxLength={500}
      type={name === 'to' ? 'email' : 'text'}
      required={isRequired}
      defaultValue={channel?.settings[name] ?? ''}
      note={isStored ? words.secretNote : note}
      error={toFieldError(error, `settings.${name}`)}
      onFocus={(event) => (isStored ? event.target.select() : undefined)}
    />
  );
};

interface FormProps {
  /** Undefined: a new one. */
  channel: AlertChannel | undefined;
  onClose: () => void;
}

interface Written {
  kind: AlertChannelKind;
  name: string;
  settings: AlertChannelSettings;
}

const Form = ({ channel, onClose }: FormProps) => {
  const [kind, setKind] = useState<AlertChannelKind>(channel?.kind ?? 'telegram');
  const { required, optional } = channelKinds[kind];
  const { run, isRunning, error } = useAction({
    run: ({ name, settings, kind: chosen }: Written) =>
      channel
        ? berth.alerts.channels.update(channel.id, { name, settings })
        : berth.alerts.channels.create({ kind: chosen, name, settings }),
    done: ({ name }: AlertChannel) => (channel ? words.saved : words.added)(isolate(name)),
    touches: () => [keys.alerts.all],
    onDone: onClose,
    isSilentOnError: true,
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const form = readForm(event);
    const name = form.name?.trim() || page.kinds[kind];
    run({ kind, name, settings: toSettings(kind, form, channel === undefined) });
  };
  const fields = [...required, ...optional];
  return (
    <form className="grid gap-4" onSubmit={submit} autoComplete="off">
      <FormFailure error={error} fields={['name', 'kind', ...fields.map((name) => `settings.${name}`)]} />
      {channel === undefined ? (
        <Select
          label={words.kind}
          value={kind}
          autoFocus
          error={toFieldError(error, 'kind')}
          onChange={({ target }) => setKind(alertChannelKinds.find((known) => known === target.value) ?? kind)}
        >
          {alertChannelKinds.map((each) => (
            <option key={each} value={each}>
              {page.kinds[each]}
            </option>
          ))}
        </Select>
      ) : null}
      <Field
        label={words.name}
        name="name"
        maxLength={100}
        autoComplete="off"
        placeholder={words.namePlaceholder}
        defaultValue={channel?.name}
        error={toFieldError(error, 'name')}
      />
      {fields.map((name) => (
        <Setting
          key={`${kind}.${name}`}
          name={name}
          isRequired={required.includes(name)}
          channel={channel}
          error={error}
        />
      ))}
      <FormFoot onClose={onClose} isBusy={isRunning}>
        {channel ? texts.save : words.add}
      </FormFoot>
    </form>
  );
};

/** Adds or edits a channel. */
export const ChannelDialog = ({ isOpen, ...props }: FormProps & { isOpen: boolean }) => (
  <Dialog title={props.channel ? words.edit : words.add} isOpen={isOpen} onClose={props.onClose} hasOwnActions>
    <Form {...props} />
  </Dialog>
);
