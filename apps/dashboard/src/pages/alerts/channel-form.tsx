import { alertChannelKinds, KEPT_SECRET, screenshotChannelKinds } from '@berth/contract/values';
import type { AlertChannel, AlertChannelKind, AlertChannelSettings } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../data/berth.ts';
import { isBlank, isEmail, useForm, type FieldErrors } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { Check } from '../../parts/check.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import { channelKinds, secretSettings, type SettingName } from './channel-kinds.tsx';

const page = pageTexts.alerts;
const words = page.channels;

/** Where an optional setting is emptied, the API wants to be told so, or it would be kept. */
const nullable: ReadonlySet<SettingName> = new Set(['api_url', 'token']);

const toSettings = (kind: AlertChannelKind, form: Readonly<Record<string, string>>, isNew: boolean) => {
  const { required, optional } = channelKinds[kind];
  const values = [...required, ...optional].flatMap((name): [string, string | null][] => {
    const value = (form[`settings.${name}`] ?? '').trim();
    if (value !== '') return [[name, value]];
    return !isNew && nullable.has(name) ? [[name, null]] : [];
  });
  return Object.fromEntries(values) as AlertChannelSettings;
};

interface Written {
  kind: AlertChannelKind;
  name: string;
  settings: AlertChannelSettings;
  with_screenshot: boolean;
}

const isUrl = (text: string): boolean => /^https?:\/\/[^\s/]/i.test(text);

const isRight = (name: SettingName, value: string): boolean => {
  // What is stored reads back covered, and is kept as it is.
  if (value === KEPT_SECRET) return true;
  if (name === 'to') return isEmail(value);
  if (name === 'topic') return /^[\w-]+$/.test(value);
  return name.endsWith('_url') ? isUrl(value) : true;
};

const check = ({ kind, settings }: Written): FieldErrors => {
  const { required, optional } = channelKinds[kind];
  return Object.fromEntries(
    [...required, ...optional].map((name) => {
      const value = settings[name] ?? '';
      const isFine = isBlank(value) ? !required.includes(name) : isRight(name, value);
      return [`settings.${name}`, isFine ? undefined : words.enter[name]];
    }),
  );
};

interface SettingProps {
  name: SettingName;
  isRequired: boolean;
  channel: AlertChannel | undefined;
}

const Setting = ({ name, isRequired, channel }: SettingProps) => {
  const { label, note } = words.fields[name];
  const isSecret = secretSettings.has(name);
  const isStored = isSecret && channel?.settings[name] === KEPT_SECRET;
  return (
    <Field
      label={label}
      name={`settings.${name}`}
      spellCheck={false}
      maxLength={500}
      type={name === 'to' ? 'email' : 'text'}
      required={isRequired}
      defaultValue={channel?.settings[name] ?? ''}
      note={isStored ? words.secretNote : note}
      onFocus={(event) => (isStored ? event.target.select() : undefined)}
    />
  );
};

interface FormProps {
  /** Undefined: a new one. */
  channel: AlertChannel | undefined;
  onClose: () => void;
}

const ChannelForm = ({ channel, onClose }: FormProps) => {
  const [kind, setKind] = useState<AlertChannelKind>(channel?.kind ?? 'telegram');
  const [withScreenshot, setWithScreenshot] = useState(channel?.with_screenshot ?? false);
  const takesScreenshots = screenshotChannelKinds.includes(kind);
  const { required, optional } = channelKinds[kind];
  const form = useForm({
    check,
    run: ({ kind: chosen, ...written }: Written) =>
      channel
        ? berth.alerts.channels.update(channel.id, written)
        : berth.alerts.channels.create({ kind: chosen, ...written }),
    done: ({ name }: AlertChannel) => (channel ? words.saved : words.added)(isolate(name)),
    touches: () => [keys.alerts.all],
    onDone: onClose,
  });
  const toValues = (values: Record<string, string>): Written => ({
    kind,
    name: values.name?.trim() || page.kinds[kind],
    settings: toSettings(kind, values, channel === undefined),
    with_screenshot: takesScreenshots && withScreenshot,
  });
  const fields = [...required, ...optional];
  return (
    <DialogForm
      form={form}
      fields={['name', 'kind', ...fields.map((name) => `settings.${name}`)]}
      toValues={toValues}
      verb={channel ? texts.save : words.add}
      onClose={onClose}
    >
      {channel === undefined ? (
        <Select
          label={words.kind}
          name="kind"
          value={kind}
          autoFocus
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
        placeholder={words.namePlaceholder}
        defaultValue={channel?.name}
      />
      {fields.map((name) => (
        <Setting key={`${kind}.${name}`} name={name} isRequired={required.includes(name)} channel={channel} />
      ))}
      {takesScreenshots ? (
        <Check
          label={words.screenshot}
          note={words.screenshotNote}
          isOn={withScreenshot}
          onChange={setWithScreenshot}
        />
      ) : null}
    </DialogForm>
  );
};

/** Adds or edits a channel. */
export const ChannelDialog = ({ isOpen, ...props }: FormProps & { isOpen: boolean }) => (
  <Dialog title={props.channel ? words.edit : words.add} isOpen={isOpen} onClose={props.onClose} hasOwnActions>
    <ChannelForm {...props} />
  </Dialog>
);
