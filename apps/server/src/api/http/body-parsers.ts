import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { MAX_BODY_BYTES } from '@berth/contract';
import { FairSemaphore, isParsable, type JsonLimits } from '@berth/kit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { toOwner } from '../limits/room.ts';

/**
 * No schema of ours is a quarter as deep; the longest list has 10,000 items; the largest report has as many values that say
 * something in each.
 */
const JSON_LIMITS: JsonLimits = { maxDepth: 64, maxMembers: 16_384, maxValues: 100_000 };

/**
 * A body as it arrives. It is copied together at once: a sender may cut it into chunks of one byte, and each would take
 * a hundred times as much where it waits.
 */
class ArrivingBody {
  readonly #limitBytes: number;
  #bytes = Buffer.alloc(0);
  #length = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#limitBytes) throw new AppError('body_too_large');
    if (length > this.#bytes.length) {
      // The first chunk is mostly the whole body.
      const size = this.#length === 0 ? length : Math.min(this.#limitBytes, Math.max(length, 2 * this.#bytes.length));
      const larger = Buffer.allocUnsafeSlow(size);
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    chunk.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  toBytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

/**
 * Reads a body, at most as long as its route allows, whatever its headers say.
 * @throws AppError 413 when it is longer, 429 or 503 where there is no room for it, 400 when it breaks off
 */
const readBody = (request: FastifyRequest, payload: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const { bodyLimit } = request.routeOptions;
    const announcedBytes = Number(request.headers['content-length'] ?? 0);
    if (announcedBytes > bodyLimit) return reject(new AppError('body_too_large'));
    const body = new ArrivingBody(bodyLimit);
    const onData = (chunk: Buffer): void => {
      try {
        request.countBody(chunk.length);
        body.add(chunk);
      } catch (error) {
        // The rest of it is read and dropped.
        payload.removeListener('data', onData);
        // eslint-disable-next-line typescript/prefer-promise-reject-errors -- one of ours, or of Node
        reject(error);
      }
    };
    payload.on('data', onData);
    payload.once('end', () => resolve(body.toBytes()));
    payload.once('error', () => reject(new AppError('malformed_request')));
  });

/** What becomes of a large body takes up to 50 ms of computing, in which nobody else is served. */
const LARGE_BYTES = MAX_BODY_BYTES;
/** Those of one sender that wait for their turn. */
const MAX_WAITING = 32;

/**
 * The app accepts JSON bodies only. An empty body counts as `{}`, whatever its media type (`curl -d ''` claims to send
 * a form); everything else is parsed as Fastify does it, with prototype poisoning refused. Large bodies are parsed one
 * in each turn of the event loop, in turn among their senders.
 */
export const acceptOnlyJson = (app: FastifyInstance): void => {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  const turns = new FairSemaphore({ places: 1, perOwner: 1, maxWaiting: MAX_WAITING });
  const parse = (request: FastifyRequest, bytes: Buffer): Promise<unknown> =>
    new Promise((resolve, reject) => {
      // Decoding would replace invalid UTF-8, and something other than what was sent would be stored.
      if (!isUtf8(bytes)) throw new AppError('malformed_json');
      if (!isParsable(bytes, JSON_LIMITS)) throw new AppError('body_too_large');
      const text = bytes.toString('utf8');
      if (text.trim() === '') return resolve({});
      const settle = (error: Error | null, body?: unknown): void =>
        error ? reject(new AppError('malformed_json')) : resolve(body);
      return void parseJson(request, text, settle);
    });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    const bytes = await readBody(request, payload);
    if (bytes.length <= LARGE_BYTES) return parse(request, bytes);
    return turns.run(toOwner(request), async () => {
      await setImmediate();
      return parse(request, bytes);
    });
  });
  app.addContentTypeParser('*', (request, _stream, done) => {
    if (request.headers['content-length'] === '0') done(null, undefined);
    else done(new AppError('unsupported_media_type'));
  });
};

const FORMS = ['multipart/form-data', 'application/x-www-form-urlencoded'];

/** The scope accepts bodies of any media type, as bytes; forms, in which a file is only a part, are refused. */
export const acceptAnyBytes = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(FORMS, (_request, _stream, done) => done(new AppError('form_not_accepted')));
  scope.addContentTypeParser('*', readBody);
};
