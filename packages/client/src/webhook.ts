/**
 * Checks what a webhook of Berth received: Standard Webhooks, version 1 (https://www.standardwebhooks.com). Without the rest
 * of the client, and without dependencies: it needs the Web Crypto API, which browsers and Node.js have.
 */

/** What was received did not come from Berth, was altered, or is too old. */
export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
  }
}

/** What is known besides the message. */
export interface VerifyOptions {
  /** How old a message may be, and how far ahead its clock, in seconds; 300. */
  toleranceSeconds?: number | undefined;
  /** Milliseconds since 1970; for tests. */
  now?: number | undefined;
}

/** Headers of a request, as `fetch` or Node.js has them. */
export type WebhookHeaders =
  { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

const MAX_SIGNATURES = 20;

const toHeader = (headers: WebhookHeaders, name: string): string => {
  const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError(`The header ${name} is missing.`);
};

const toBytes = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
};

const toKey = (secret: string) => {
  const bytes = secret.startsWith('whsec_') ? toBytes(secret.slice(6)) : undefined;
  if (!bytes?.length) throw new TypeError('a secret of a webhook is whsec_ and Base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
};

/** In a time that says nothing about the bytes. */
const isEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.reduce((bits, byte, index) => bits | (byte ^ other[index]!), 0) === 0;

/**
 * The event that was received, once its signature and its time are right. Compares in constant time.
 * @param body of the request, as it came: what was parsed and written again has another signature
 * @param headers its headers, names in lower case
 * @param secret `whsec_…`; several while it is rotated
 * @throws WebhookVerificationError respond with 400 then
 * @throws TypeError the secret is none
 * @example
 * import { verifyWebhook } from '@berth/client/webhook';
 * const receive = async (request: Request, secret: string): Promise<Response> => {
 *   const event = await verifyWebhook<{ type: string }>(await request.text(), request.headers, secret);
 *   console.log(event.type);
 *   return new Response(null, { status: 204 });
 * };
 */
export const verifyWebhook = async <Event = unknown>(
  body: string,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): Promise<Event> => {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    toHeader(headers, `webhook-${name}`),
  ) as [string, string, string];
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('The header webhook-timestamp is no time.');
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds))
    throw new WebhookVerificationError('The message is too old, or the clocks differ.');
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const keys = await Promise.all((typeof secret === 'string' ? [secret] : secret).map(toKey));
  const given = signatures
    .split(' ', MAX_SIGNATURES)
    .flatMap((one) => (one.startsWith('v1,') ? (toBytes(one.slice(3)) ?? []) : []));
  for (const key of given.length > 0 ? keys : []) {
    const right = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
    if (given.some((bytes) => isEqual(bytes, right))) return JSON.parse(body) as Event;
  }
  throw new WebhookVerificationError('No signature is right: the secret is another one, or the body was changed.');
};
