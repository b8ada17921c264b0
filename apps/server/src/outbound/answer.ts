/** What is kept of an answer: little, of known size, and safe to store and to show. */
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
export const toPlainText = (text: string, maxCodePoints: number): string => {
  const plain = text
    .replace(/[\t\n\r]+/g, ' ')
    .replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu, '');
  // By code points, so that no character is cut in the middle.
  return Array.from(plain).slice(0, maxCodePoints).join('').trim();
};

/**
 * Keeps what somebody chose from being taken for an address, a mention or an encoded word of a mail: a zero-width space stands
 * behind the signs that begin one.
 */
export const withoutLinks = (text: string): string =>
  text.replace(/@|:\/\/|=(?=\?)|\.(?=\p{L}{2})/gu, (sign) => `${sign}\u200b`);

/** @param isWhole whether all of the body is there; else half a character at its end is left out */
export const toExcerpt = (body: Buffer, isWhole: boolean): string =>
  toPlainText(new TextDecoder('utf-8').decode(body, { stream: !isWhole }), MAX_EXCERPT_CHARACTERS);

type HeaderValue = string | string[] | undefined;

interface Head {
  status: number;
  headers: Record<string, HeaderValue>;
}

const toHeader = (value: HeaderValue): string | undefined => {
  const first = Array.isArray(value) ? value[0] : value;
  return first === undefined ? undefined : toPlainText(first, MAX_HEADER_CHARACTERS);
};

const isReadable = (encoding: HeaderValue): boolean =>
  encoding === undefined || encoding === '' || encoding === 'identity';

type ReadAnswer = Omit<OutboundAnswer, 'ms'>;

const toAnswer = ({ status, headers }: Head, body: Buffer, isWhole: boolean): ReadAnswer => ({
  status,
  headers: { retryAfter: toHeader(headers['retry-after']), contentType: toHeader(headers['content-type']) },
  excerpt: isReadable(headers['content-encoding']) ? toExcerpt(body, isWhole) : '',
});

export interface RawRequest {
  /** `/hook?id=1` */
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

/**
 * Sends a POST, and reads the beginning of the answer. Interim answers (status 1xx) are passed over. When there is more of
 * an answer than is read, its connection is destroyed.
 * @param onHead called when the headers are there
 * @throws what the HTTP client says of a connection that broke, and of an answer that is none
 */
export const exchange = (connection: Connection, request: RawRequest, onHead: () => void): Promise<ReadAnswer> =>
  new Promise((resolve, reject) => {
    let head: Head | undefined;
    const parts: Buffer[] = [];
    let leftBytes = MAX_BODY_BYTES;
    const end = (isWhole: boolean): void => {
      if (head) resolve(toAnswer(head, Buffer.concat(parts), isWhole));
    };
    connection.client.dispatch(
      { method: 'POST', ...request },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, status, headers) => {
          if (status < 200) return;
          head = { status, headers };
          onHead();
        },
        onResponseData: (controller, part) => {
          if (leftBytes < 0) return;
          parts.push(part.subarray(0, leftBytes));
          leftBytes -= part.length;
          if (leftBytes >= 0) return;
          end(false);
          controller.abort(new Error('enough was read'));
        },
        onResponseEnd: () => end(true),
        onResponseError: (_controller, error) => {
          // Of an answer that was cut because it had no end, the beginning is as good as that of any other.
          if (connection.isOverfull) end(false);
          reject(error);
        },
      },
    );
  });
