/** Sends one message by one channel, and says what was answered. */
import type { AlertChannelKind, AlertChannelSettings } from '@berth/contract';
import { sleep } from '@berth/kit';
import type { Mail, Mailer } from '../mail/mailer.ts';
import { OutboundError } from '../outbound/errors.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { SecretError, type Vault } from '../secrets/vault.ts';
import { FILE_NAME, toCall, toPictureCall, type Call, type FormCall } from './forms.ts';
import { hideSecrets, openSettings } from './secrets.ts';
import type { SentScreenshot } from './screenshots.ts';
import { withScreenshotTime, type MessageText } from './texts.ts';
import { toVerdict, type Verdict } from './verdict.ts';

/** A mail server may take its time for each step; a message keeps its lease for longer than this. */
const MAIL_MS = 45_000;
const SEALED = 'The secrets of this channel cannot be opened any more. Enter them again.';

export interface PostOfficeParts {
  vault: Pick<Vault, 'open' | 'toFingerprint'>;
  outbound: Pick<Outbound, 'post'>;
  mailer: Mailer;
}

/** Where a message goes. */
export interface Destination {
  id: string;
  /** Whose channel it is. */
  userId: string;
  kind: AlertChannelKind;
  settings: AlertChannelSettings;
  secrets: string | null;
}

export interface Sent extends Verdict {
  /** HTTP status; null: there was no answer, or it is a mail. */
  status: number | null;
  answer: string | null;
  /** Nothing was sent: there was no place for it, or the server stops. */
  isUntried: boolean;
  /** A picture was sent along. */
  hadScreenshot: boolean;
  /** For the operator's log: what users are not told. */
  cause?: string;
}

const nothing = { status: null, answer: null, isUntried: false, hadScreenshot: false, retryAfterS: 0 };

const toMailText = ({ lines, pageUrl, acknowledgeUrl }: MessageText): string =>
  [
    ...lines,
    '',
    ...(pageUrl === undefined ? [] : ['Your alerts:', '', pageUrl, '']),
    ...(acknowledgeUrl === undefined
      ? []
      : ['To acknowledge this alert, so that it reminds nobody, open', '', acknowledgeUrl, '']),
  ].join('\n');

interface Message {
  /** By which a mail can be known again. */
  id: string;
  text: MessageText;
  screenshot?: SentScreenshot | undefined;
}

const toMail = (to: string, { id, text, screenshot }: Message): Mail => {
  const told = screenshot ? withScreenshotTime(text, screenshot.taken_at) : text;
  const mail = { id, to, subject: text.title, text: toMailText(told) };
  return screenshot ? { ...mail, image: { name: FILE_NAME, png: screenshot.png } } : mail;
};

const sendMail = async (mailer: Mailer, to: string, message: Message): Promise<Sent> => {
  const stop = new AbortController();
  const late = sleep(MAIL_MS, stop.signal).then(() => {
    throw new Error('the mail server took too long');
  });
  try {
    const sending = mailer.send(toMail(to, message));
    await Promise.race([sending, late]);
    return { ...nothing, error: null, isFinal: true };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    // What the mail server says names its address and ours: that is for the operator, in the log.
    return {
      ...nothing,
      error: 'The mail could not be sent. The operator of this server finds the cause in its log.',
      isFinal: false,
      cause: said,
    };
  } finally {
    stop.abort();
    late.catch(() => undefined);
  }
};

const encode = async ({ url, form }: FormCall): Promise<Call> => {
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type')!, 'user-agent': 'Berth' };
  return { url, headers, body: new Uint8Array(await encoded.arrayBuffer()) };
};

/** @param signal calls it off */
export const sendMessage = async (
  { vault, outbound, mailer }: PostOfficeParts,
  { id: channelId, userId, kind, ...channel }: Destination,
  { signal, ...message }: Message & { signal: AbortSignal },
): Promise<Sent> => {
  let settings: AlertChannelSettings;
  try {
    settings = openSettings(vault, channelId, channel.settings, channel.secrets);
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    return { ...nothing, error: SEALED, isFinal: true };
  }
  if (kind === 'email') return sendMail(mailer, settings.to!, message);
  try {
    const { text, screenshot } = message;
    const form =
      screenshot && toPictureCall(kind, settings, withScreenshotTime(text, screenshot.taken_at), screenshot.png);
    const { url, headers, body } = form ? await encode(form) : toCall(kind, settings, text);
    const answer = await outbound.post(url, { ownerId: userId, headers, body, signal });
    const excerpt = hideSecrets(answer.excerpt, kind, settings);
    const verdict = toVerdict(kind, { ...answer, excerpt });
    const { status } = answer;
    return { ...verdict, status, answer: excerpt, isUntried: false, hadScreenshot: form !== undefined };
  } catch (error) {
    const isBusy = error instanceof OutboundError && error.code === 'busy';
    const said = error instanceof OutboundError ? error.message : 'The message could not be sent.';
    const cause = error instanceof OutboundError ? undefined : hideSecrets(String(error), kind, settings);
    const isFinal = error instanceof OutboundError && error.code === 'refused_address';
    return { ...nothing, error: said, isFinal, isUntried: isBusy || signal.aborted, ...(cause ? { cause } : {}) };
  }
};
