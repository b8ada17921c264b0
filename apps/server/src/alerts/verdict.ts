/** What a chat or push service means by its answer. */
import type { AlertChannelKind } from '@berth/contract';
import { cutText } from '@berth/contract';
import type { OutboundAnswer } from '../outbound/answer.ts';

export interface Verdict {
  /** Why the message was not taken, and what to do; null: it was taken. */
  error: string | null;
  /** It would be refused again. */
  isFinal: boolean;
  /** The service asks for a pause; 0: it does not. */
  retryAfterS: number;
}

const services: Readonly<Record<AlertChannelKind, string>> = {
  email: 'The mail server',
  telegram: 'Telegram',
  discord: 'Discord',
  slack: 'Slack',
  ntfy: 'ntfy',
};

interface Said {
  ok?: unknown;
  description?: unknown;
  message?: unknown;
  error?: unknown;
  retry_after?: unknown;
  parameters?: { retry_after?: unknown } | null;
}

const MAX_SAID_CHARACTERS = 200;

const readJson = (excerpt: string): Said => {
  try {
    const said: unknown = JSON.parse(excerpt);
    return typeof said === 'object' && said !== null ? said : {};
  } catch {
    return {};
  }
};

/** In words, where the answer has any: Telegram says `description`, Discord `message`, ntfy `error`, Slack a word alone. */
const toWords = (said: Said, excerpt: string): string => {
  const text = [said.description, said.message, said.error].find((part) => typeof part === 'string');
  return cutText(typeof text === 'string' ? text : excerpt, MAX_SAID_CHARACTERS);
};

const toPause = (said: Said, header: string | undefined): number => {
  const given = [said.parameters?.retry_after, said.retry_after, header === undefined ? undefined : Number(header)];
  const seconds = given.find(
    (value): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0,
  );
  return Math.ceil(seconds ?? 0);
};

const advice: readonly [kind: AlertChannelKind, pattern: RegExp, text: string][] = [
  ['telegram', /^40[14]\b/, 'Check the bot token.'],
  ['telegram', /chat not found/, 'Write to the bot first, or add it to the chat; then check the chat id.'],
  ['telegram', /^403\b/, 'Unblock the bot, or add it to the chat again.'],
  ['discord', /^40[14]\b/, 'The webhook is gone. Make a new one in the settings of the Discord channel.'],
  ['slack', /invalid_token|no_service|no_team|action_prohibited/, 'The webhook is gone. Make a new one in Slack.'],
  ['slack', /channel_(not_found|is_archived)/, 'The channel is gone. Make a webhook for another one.'],
  ['ntfy', /^40[13]\b/, 'Check the access token, and that it may write to the topic.'],
];

const isTaken = (kind: AlertChannelKind, { status, excerpt }: OutboundAnswer): boolean => {
  if (status < 200 || status >= 300) return false;
  if (kind === 'slack') return excerpt === 'ok';
  return kind !== 'telegram' || /^\{\s*"ok"\s*:\s*true\b/.test(excerpt);
};

/** What an answer means. */
export const toVerdict = (kind: AlertChannelKind, answer: OutboundAnswer): Verdict => {
  const { status, excerpt, headers } = answer;
  if (isTaken(kind, answer)) return { error: null, isFinal: true, retryAfterS: 0 };
  const said = readJson(excerpt);
  const words = toWords(said, excerpt);
  const text = `${status}${words === '' ? '' : `: ${words}`}`;
  const next = advice.find(([of, pattern]) => of === kind && pattern.test(text))?.[2];
  const isPaused = status === 429;
  const isFinal = !isPaused && status >= 300 && status < 500 && status !== 408;
  const error = `${services[kind]} answered ${text.replace(/\.$/, '')}.${next === undefined ? '' : ` ${next}`}`;
  return { error, isFinal, retryAfterS: isPaused || status === 503 ? toPause(said, headers.retryAfter) : 0 };
};
