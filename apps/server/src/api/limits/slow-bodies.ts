/**
 * How long a request's body may take. One that keeps moving may take its time, so that large files get through slow
 * links. One that trickles is cut off, so that no client holds a socket, and room for a body, for ever. Node's own
 * `requestTimeout` limits the whole request whatever its size; it is off.
 *
 * Whether a request has a body is not asked of its headers: every one is watched until it is complete.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_ANONYMOUS_BODY_BYTES } from '@berth/contract';
import type { FastifyInstance } from 'fastify';
import { answerBrokenRequest } from './connections.ts';

export interface BodyPace {
  /** Every body may take this long, however slow. */
  graceMs: number;
  /** After that, its average rate since its headers must not be below this. */
  bytesPerSecond: number;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** In force; tests change it. */
    bodyPace: BodyPace;
  }
}

const PACE: BodyPace = { graceMs: 60_000, bytesPerSecond: 8_000 };
/** How often slow ones are looked for. */
const CHECK_MS = 1_000;

interface Arrival {
  request: IncomingMessage;
  response: ServerResponse;
  startedAtMs: number;
  /** Bytes that the socket had read before. */
  readBytes: number;
  /** More gains no time: the most that its route accepts, once its caller is known. */
  limitBytes: number;
}

/** A request that was already answered (mostly refused) has nothing to wait for. */
const toAllowedMs = (
  { request, response, readBytes, limitBytes }: Arrival,
  { graceMs, bytesPerSecond }: BodyPace,
): number => {
  const arrivedBytes = response.writableEnded ? 0 : Math.min(request.socket.bytesRead - readBytes, limitBytes);
  return graceMs + (arrivedBytes / bytesPerSecond) * 1000;
};

/**
 * Answers 408 to a client that sends a body too slowly, and cuts the connection.
 * @returns the pace in force, which may be changed
 */
export const limitSlowBodies = (app: FastifyInstance): BodyPace => {
  const pace = { ...PACE };
  /** One per socket: a request starts when the one before it is complete. */
  const arrivals = new Map<Socket, Arrival>();
  const note = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    const times = { startedAtMs: performance.now(), readBytes: socket.bytesRead };
    arrivals.set(socket, { request, response, ...times, limitBytes: MAX_ANONYMOUS_BODY_BYTES });
  };
  app.server.on('request', note);
  app.server.on('checkExpectation', note);
  // Its caller is known by now, where the route asks for one.
  app.addHook('preParsing', ({ raw, routeOptions }, _reply, payload, done) => {
    const arrival = arrivals.get(raw.socket);
    if (arrival?.request === raw) arrival.limitBytes = routeOptions.bodyLimit;
    done(null, payload);
  });
  const check = (): void => {
    const nowMs = performance.now();
    for (const [socket, arrival] of arrivals) {
      if (arrival.request.complete || socket.destroyed) arrivals.delete(socket);
      else if (nowMs - arrival.startedAtMs > toAllowedMs(arrival, pace)) {
        // A client that goes on sending after the answer is found here again, and cut off.
        answerBrokenRequest({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket);
      }
    }
  };
  const timer = setInterval(check, CHECK_MS).unref();
  app.addHook('onClose', async () => clearInterval(timer));
  return pace;
};
