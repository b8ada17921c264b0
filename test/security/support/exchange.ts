/** A plain HTTP exchange that sends exactly what it is given: any header, any bytes, chunked or not. */
import { request, type Agent } from 'node:http';

export interface Exchange {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
}

export interface Outgoing {
  method: string;
  /** Percent-encoded. */
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
  /** Sent in chunks, without a length. */
  isChunked?: boolean;
}

const TIMEOUT_MS = 60_000;

/** Rejects when the server does not answer in time or breaks off: for a test both are failures. */
export const exchange = (url: string, agent: Agent, outgoing: Outgoing): Promise<Exchange> =>
  new Promise((resolve, reject) => {
    const { method, path, body, isChunked = false } = outgoing;
    const framing = isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body?.length) };
    const length: Record<string, string> = body === undefined ? {} : framing;
    const options = { method, path, agent, headers: { ...length, ...outgoing.headers }, timeout: TIMEOUT_MS };
    const sending = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    sending.on('timeout', () => sending.destroy(new Error(`${method} ${path} was not answered`)));
    sending.on('error', reject);
    if (body !== undefined && isChunked) {
      const middle = Math.floor(body.length / 2);
      sending.write(body.subarray(0, middle));
      sending.write(body.subarray(middle));
    } else if (body !== undefined) sending.write(body);
    sending.end();
  });
