/** Signatures of what is sent to webhooks: Standard Webhooks, https://www.standardwebhooks.com, version 1 (HMAC-SHA256). */
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret: `whsec_` and 32 random bytes in Base64. */
export const createWebhookSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

export interface SignedMessage {
  /** The same for each try of a delivery. */
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  body: string;
}

/** The headers of a message. @param secrets each signs: two while a secret is rotated */
export const toSignedHeaders = (
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
): Record<string, string> => {
  const sign = (secret: string): string => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  };
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map(sign).join(' '),
  };
};
