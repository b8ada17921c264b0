/** The secrets among the settings of a channel: sealed beside them, with ******** in their place. */
import { alertSettings, KEPT_SECRET, type AlertChannelKind, type AlertChannelSettings } from '@berth/contract';
import type { Vault } from '../secrets/vault.ts';

type Secrets = Record<string, string>;

const toPlace = (id: string) => `alert_channels/${id}/secrets` as const;

/** Takes the secrets out of settings. @returns what is shown, and the secrets, sealed; null: there are none */
export const sealSettings = (
  vault: Pick<Vault, 'seal'>,
  id: string,
  kind: AlertChannelKind,
  settings: AlertChannelSettings,
): { settings: AlertChannelSettings; secrets: string | null } => {
  const shown: AlertChannelSettings = { ...settings };
  const secrets: Secrets = {};
  for (const name of alertSettings[kind].secret) {
    const value = settings[name];
    if (typeof value !== 'string') continue;
    secrets[name] = value;
    shown[name] = KEPT_SECRET;
  }
  const isEmpty = Object.keys(secrets).length === 0;
  return { settings: shown, secrets: isEmpty ? null : vault.seal(JSON.stringify(secrets), toPlace(id)) };
};

/** The settings with their secrets. @throws SecretError where the key that sealed them is lost */
export const openSettings = (
  vault: Pick<Vault, 'open'>,
  id: string,
  settings: AlertChannelSettings,
  secrets: string | null,
): AlertChannelSettings =>
  secrets === null ? settings : { ...settings, ...(JSON.parse(vault.open(secrets, toPlace(id))) as Secrets) };

/** Secrets shorter than this are too common as parts of words. */
const MIN_HIDDEN = 4;

/** So much of a secret at the end of a text that was cut tells too much of it. */
const MIN_HIDDEN_START = 8;

/** Where the text ends within the secret, the beginning of the secret goes, too. */
const hideStart = (text: string, secret: string): string => {
  for (let length = Math.min(secret.length, text.length); length >= MIN_HIDDEN_START; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}${KEPT_SECRET}`;
  }
  return text;
};

/** Hides the secrets in what somebody said, before it is cut: whoever is sent one may send it back, or encode it. */
export const hideSecrets = (text: string, kind: AlertChannelKind, settings: AlertChannelSettings): string => {
  const values = alertSettings[kind].secret.flatMap((name) => {
    const value = settings[name];
    // Of the address of a webhook, the parts behind the name of the server are the secret; of a bot's token, its second part.
    const parts =
      typeof value === 'string' ? [value, ...value.split(/[/?&=:]/).slice(value.includes('://') ? 3 : 1)] : [];
    return parts.flatMap((part) => [part, encodeURIComponent(part)]);
  });
  return values
    .filter((value) => value.length >= MIN_HIDDEN)
    .sort((a, b) => b.length - a.length)
    .reduce((hidden, value) => hideStart(hidden.replaceAll(value, KEPT_SECRET), value), text);
};
