/** What is kept of an answer: little, of known size, and safe to store and to show. */
import type { Dispatcher } from 'undici';
import type { Connection } from './connections.ts';

export interface OutboundAnswer {
  /** 100 to 599, or what else stood there; a redirect is an answer like any other. */
  status: number;
  /** As they were sent, without control characters, up to 200 characters. */
  headers: { retryAfter: string | undefined; contentType: string | undefined };
  /** The beginning of the body as text, up to 1,000 characters; empty where it was compressed. */
  excerpt: string;
  /** From the call until the answer was read. */
  ms: number;
}

/** What is read of a body. The connection of a longer one is dropped. */
const MAX_BODY_BYTES = 8 * 1024;
const MAX_EXCERPT_CHARACTERS = 1_000;
const MAX_HEADER_CHARACTERS = 200;

/**
 * Line breaks and tabs become blanks. Other control characters go, and so do the invisible ones that change the direction
 * of what follows them on a page.
 */
export const toPlainText = (text: string, maxCharacters: number): string => {
  const plain = text
    .replace(/[\t\n\r]+/g, ' ')
    .replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu, '');
  // By code points, so that no character is cut in the middle.
  return Array.from(plain).slice(0, maxCharacters).join('').trim();
};

/** @param isWhole whether all of the body is there; else half a character at its end is left out */
export const toExcerpt = (body: Buffer, isWhole: boolean): string =>
  toPlainText(new TextDecoder('utf-8').decode(body, { stream: !isWhole }), MAX_EXCERPT_CHARACTERS);

type HeaderValue = string | string[] | undefined;

const toHeader = (value: HeaderValue): string | undefined => {
  const first = Array.isArray(value) ? value[0] : value;
  return first === undefined ? undefined : toPlainText(first, MAX_HEADER_CHARACTERS);
};

const isReadable = (encoding: HeaderValue): boolean =>
  encoding === undefined || encoding === '' || encoding === 'identity';

const readBeginning = async (body: Dispatcher.ResponseData['body'], connection: Connection) => {
  const parts: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      parts.push(part.subarray(0, MAX_BODY_BYTES - sizeBytes));
      sizeBytes += part.length;
      // Leaving the loop destroys the body, and its connection with it.
      if (sizeBytes > MAX_BODY_BYTES) break;
    }
  } catch (error) {
    if (!connection.isOverfull) throw error;
    sizeBytes = Infinity;
  }
  return { bytes: Buffer.concat(parts), isWhole: sizeBytes <= MAX_BODY_BYTES };
};

/**
 * Reads what is wanted of an answer.
 * @returns also whether all of it was read, so that another call may follow on the connection
 */
export const readAnswer = async (
  { statusCode, headers, body }: Dispatcher.ResponseData,
  connection: Connection,
): Promise<{ answer: Omit<OutboundAnswer, 'ms'>; isWhole: boolean }> => {
  const { bytes, isWhole } = await readBeginning(body, connection);
  const excerpt = isReadable(headers['content-encoding']) ? toExcerpt(bytes, isWhole) : '';
  const kept = { retryAfter: toHeader(headers['retry-after']), contentType: toHeader(headers['content-type']) };
  return { answer: { status: statusCode, headers: kept, excerpt }, isWhole };
};
