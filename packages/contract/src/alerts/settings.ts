/** Which settings a channel of each kind has. */
import type { FieldError } from '../errors.ts';
import type { AlertChannelSettings } from './resources.ts';
import { screenshotChannelKinds, type AlertChannelKind } from './values.ts';

export type AlertSettingName = keyof AlertChannelSettings;

interface SettingsOfKind {
  required: readonly AlertSettingName[];
  optional: readonly AlertSettingName[];
  /** They are sealed, and never shown again. */
  secret: readonly AlertSettingName[];
  /** Where the secrets are sent. */
  address: AlertSettingName | undefined;
}

export const alertSettings: Readonly<Record<AlertChannelKind, SettingsOfKind>> = {
  email: { required: ['to'], optional: [], secret: [], address: undefined },
  telegram: { required: ['bot_token', 'chat_id'], optional: ['api_url'], secret: ['bot_token'], address: 'api_url' },
  discord: { required: ['webhook_url'], optional: [], secret: ['webhook_url'], address: undefined },
  slack: { required: ['webhook_url'], optional: [], secret: ['webhook_url'], address: undefined },
  ntfy: { required: ['topic'], optional: ['server_url', 'token'], secret: ['token'], address: 'server_url' },
};

const toAttribute = (name: string): string => `settings.${name.replaceAll('_', ' ')}`;

/** What is wrong with the settings of a channel of a kind: fields that are missing, and such of another kind. Pure. */
export const toSettingErrors = (kind: AlertChannelKind, settings: AlertChannelSettings): FieldError[] => {
  const { required, optional } = alertSettings[kind];
  const known = [...required, ...optional];
  const isGiven = (name: AlertSettingName): boolean => settings[name] !== undefined && settings[name] !== null;
  const missing = required.filter((name) => !isGiven(name));
  const foreign = (Object.keys(settings) as AlertSettingName[]).filter(
    (name) => settings[name] !== undefined && !known.includes(name),
  );
  return [
    ...missing.map((name) => ({ field: `settings.${name}`, text: `The ${toAttribute(name)} field is required.` })),
    ...foreign.map((name) => ({
      field: `settings.${name}`,
      text: `The ${toAttribute(name)} field does not belong to a channel of the kind ${kind}.`,
      hint: `Its settings are ${known.join(', ')}.`,
    })),
  ];
};

/** What is wrong with asking a channel of a kind for screenshots. Pure. */
export const toScreenshotErrors = (kind: AlertChannelKind, withScreenshot: boolean | undefined): FieldError[] =>
  withScreenshot !== true || screenshotChannelKinds.includes(kind)
    ? []
    : [
        {
          field: 'with_screenshot',
          text: `The with screenshot field must be false, because a channel of the kind ${kind} takes no pictures.`,
          hint: `Those that do are ${screenshotChannelKinds.join(', ')}.`,
        },
      ];
