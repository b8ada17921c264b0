/**
 * The form that each chat and push service wants a message in, by its public documentation: one POST. Whatever came from
 * users and hosts is escaped, so that it can be no heading; links and mentions it has none (`texts.ts`).
 */
import type { AlertChannelKind, AlertChannelSettings } from '@berth/contract';
import { toLinks, type MessageText } from './texts.ts';

export interface Call<Body = string | Uint8Array> {
  url: string;
  headers: Record<string, string>;
  body: Body;
}

type TextCall = Call<string>;

type CalledKind = Exclude<AlertChannelKind, 'email'>;

/** Of a URL that was checked when it was given. @param path put behind the one that it has */
const toUrl = (base: string, path: string): string => {
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, '') + path;
  url.search = '';
  url.hash = '';
  return url.href;
};

/** Escapes as many characters as fit, and cuts none of them in two. */
const escapeWithin = (text: string, maxLength: number, escape: (text: string) => string): string => {
  let escaped = '';
  for (const character of text) {
    const next = escaped + escape(character);
    if (next.length > maxLength) break;
    escaped = next;
  }
  return escaped;
};

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const toTelegramUrl = ({ api_url: base, bot_token: token }: AlertChannelSettings, method: string): string =>
  toUrl(base ?? 'https://api.telegram.org', `/bot${token}/${method}`);

const toTelegramHtml = (message: MessageText): string => {
  const links = toLinks(message).map(({ label, url }) => `<a href="${escapeHtml(url)}">${label}</a>`);
  return [`<b>${escapeHtml(message.title)}</b>`, ...message.lines.map(escapeHtml), ...links].join('\n');
};

/** https://core.telegram.org/bots/api#sendmessage */
const toTelegram = (settings: AlertChannelSettings, message: MessageText): TextCall => {
  const text = toTelegramHtml(message);
  return {
    url: toTelegramUrl(settings, 'sendMessage'),
    headers: {},
    // A preview would fetch the link.
    body: JSON.stringify({
      chat_id: settings.chat_id,
      text,
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
    }),
  };
};

const escapeMarkdown = (text: string): string => text.replace(/[\\*_~`|>#[\]()<+\-!]/g, '\\$&');

const colours = { opened: 0xd93f3f, reminder: 0xd93f3f, resolved: 0x2f9e5b, test: 0x4a6fa5 } as const;

const toDiscordMessage = (message: MessageText) => {
  const { kind, title, lines } = message;
  const links = toLinks(message).map(({ label, url }) => `[${label}](${url})`);
  const embed = {
    title: escapeWithin(title, 256, escapeMarkdown),
    description: [...lines.map(escapeMarkdown), ...links].join('\n'),
    color: colours[kind],
  };
  return { username: 'Berth', embeds: [embed], allowed_mentions: { parse: [] } };
};

/** https://discord.com/developers/docs/resources/webhook#execute-webhook */
const toDiscord = (settings: AlertChannelSettings, message: MessageText): TextCall => ({
  url: settings.webhook_url!,
  headers: {},
  body: JSON.stringify(toDiscordMessage(message)),
});

const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
const toSlack = (settings: AlertChannelSettings, message: MessageText): TextCall => {
  const { title, lines } = message;
  const section = (type: 'plain_text' | 'mrkdwn', text: string) => ({ type: 'section', text: { type, text } });
  const links = toLinks(message).map(({ label, url }) => section('mrkdwn', `<${url}|${label}>`));
  const head = { type: 'header', text: { type: 'plain_text', text: escapeWithin(title, 150, escapeSlack) } };
  const blocks = [head, section('plain_text', escapeWithin(lines.join('\n'), 3_000, escapeSlack)), ...links];
  return {
    url: settings.webhook_url!,
    headers: {},
    body: JSON.stringify({ text: escapeSlack(title), blocks, unfurl_links: false }),
  };
};

const tags = { opened: 'rotating_light', reminder: 'bell', resolved: 'white_check_mark', test: 'wave' } as const;

/** https://docs.ntfy.sh/publish/#publish-as-json. Its messages are plain text unless one asks for something else. */
const toNtfy = (
  settings: AlertChannelSettings,
  { kind, title, lines, pageUrl, acknowledgeUrl }: MessageText,
): TextCall => ({
  url: toUrl(settings.server_url ?? 'https://ntfy.sh', '/'),
  headers: typeof settings.token === 'string' ? { authorization: `Bearer ${settings.token}` } : {},
  body: JSON.stringify({
    topic: settings.topic,
    title,
    message: lines.join('\n'),
    tags: [tags[kind]],
    priority: kind === 'opened' ? 4 : 3,
    ...(pageUrl === undefined ? {} : { click: pageUrl }),
    ...(acknowledgeUrl === undefined
      ? {}
      : { actions: [{ action: 'view', label: 'Acknowledge', url: acknowledgeUrl, clear: true }] }),
  }),
});

const forms: Readonly<Record<CalledKind, (settings: AlertChannelSettings, text: MessageText) => TextCall>> = {
  telegram: toTelegram,
  discord: toDiscord,
  slack: toSlack,
  ntfy: toNtfy,
};

/** The call that sends a message. */
export const toCall = (kind: CalledKind, settings: AlertChannelSettings, text: MessageText): TextCall => {
  const { headers, ...call } = forms[kind](settings, text);
  return { ...call, headers: { 'content-type': 'application/json', 'user-agent': 'Berth', ...headers } };
};

export interface FormCall {
  url: string;
  form: FormData;
}

export const FILE_NAME = 'screenshot.png';
/** As it is shown: tags and addresses of links do not count. */
const MAX_CAPTION_CHARACTERS = 1_024;

/** https://core.telegram.org/bots/api#sendphoto */
const toTelegramPhoto = (settings: AlertChannelSettings, message: MessageText, picture: Blob): FormCall | undefined => {
  const shown = [message.title, ...message.lines, ...toLinks(message).map(({ label }) => label)].join('\n');
  if (shown.length > MAX_CAPTION_CHARACTERS) return undefined;
  const form = new FormData();
  form.set('chat_id', settings.chat_id ?? '');
  form.set('caption', toTelegramHtml(message));
  form.set('parse_mode', 'HTML');
  form.set('photo', picture, FILE_NAME);
  return { url: toTelegramUrl(settings, 'sendPhoto'), form };
};

/** https://discord.com/developers/docs/reference#uploading-files */
const toDiscordUpload = (settings: AlertChannelSettings, message: MessageText, picture: Blob): FormCall => {
  const { embeds, ...rest } = toDiscordMessage(message);
  const image = { url: `attachment://${FILE_NAME}` };
  const form = new FormData();
  form.set('payload_json', JSON.stringify({ ...rest, embeds: embeds.map((embed) => ({ ...embed, image })) }));
  form.set('files[0]', picture, FILE_NAME);
  return { url: settings.webhook_url!, form };
};

/** The call that sends a message with a picture; undefined: it goes without one. */
export const toPictureCall = (
  kind: CalledKind,
  settings: AlertChannelSettings,
  text: MessageText,
  png: Buffer,
): FormCall | undefined => {
  const picture = new Blob([new Uint8Array(png)], { type: 'image/png' });
  if (kind === 'telegram') return toTelegramPhoto(settings, text, picture);
  return kind === 'discord' ? toDiscordUpload(settings, text, picture) : undefined;
};
