/** What is sent for a delivery, and what its answer means. */
import { WEBHOOK_WAITS_S, type WebhookAttempt } from '@berth/contract';
import type { Mail } from '../mail/mailer.ts';
import type { Vault } from '../secrets/vault.ts';
import type { DueDelivery, Outcome, Target } from './work.ts';

/** @returns the entry of the log, or a test; undefined: the event is not kept any more */
export const toBody = (delivery: DueDelivery): string | undefined => {
  const { delivery_id: _id, is_test: isTest, created_at, attempt_count: _count, ...event } = delivery;
  if (isTest) {
    const empty = { terminal_id: null, project_id: null, data: {} };
    return JSON.stringify({ id: null, type: 'webhook.test', occurred_at: created_at, ...empty });
  }
  return event.id === null ? undefined : JSON.stringify(event);
};

/** The secrets that sign; an older one that cannot be opened any more does not. @throws SecretError */
export const openSecrets = (vault: Pick<Vault, 'open'>, hook: Target): string[] => {
  const open = (sealed: string): string => vault.open(sealed, `webhooks/${hook.id}/secret`);
  const secrets = [open(hook.secret)];
  if (hook.previous_secret === null) return secrets;
  try {
    return [...secrets, open(hook.previous_secret)];
  } catch {
    return secrets;
  }
};

/** Why an answer is a failure, or undefined. */
export const toFailure = (status: number): string | undefined => {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400)
    return `The endpoint answered with a redirect (${status}), and redirects are not followed. Enter its final address.`;
  return `The endpoint answered ${status}.`;
};

/** `Retry-After` in seconds; a date is ignored. */
export const toSeconds = (text: string | undefined): number =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : 0;

/** An endpoint cannot put off a delivery for longer than this. */
const MAX_RETRY_AFTER_S = 3_600;

/** What a try that failed comes to: another one later, or, after the last one, none. */
export const toRetry = (
  { delivery_id: deliveryId, attempt_count: count }: DueDelivery,
  attempt: WebhookAttempt,
  retryAfterS: number,
  random: () => number,
): Outcome => {
  const base = WEBHOOK_WAITS_S[count + 1];
  if (base === undefined) return { deliveryId, attempt, status: 'failed', waitS: null };
  const jittered = base * (0.8 + 0.4 * random());
  const waitS = Math.max(jittered, Math.min(retryAfterS, MAX_RETRY_AFTER_S));
  return { deliveryId, attempt, status: 'pending', waitS };
};

/** The same, without what the endpoint answered. */
export const withoutExcerpt = (outcome: Outcome): Outcome => ({
  ...outcome,
  attempt: { ...outcome.attempt, response_excerpt: null },
});

/** What the owner of a webhook is told that Berth disabled. The secret of an address is often behind its server's name. */
export const toDisabledMail = (to: string, url: string, reason: string): Mail => ({
  to,
  subject: 'Berth disabled a webhook of yours',
  text: [
    `Your webhook at ${new URL(url).host} gets nothing more.`,
    reason,
    '',
    'When its endpoint works again, enable the webhook, or PATCH it with {"status": "active"}. It then goes on with what',
    'happens from that moment. What it missed is in the log of events: GET /v1/my/events/log.',
    '',
  ].join('\n'),
});
