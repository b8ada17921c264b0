/** Below the level of requests: limits of headers, time and sockets, and answers to what is not a valid request. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorTable, type ErrorCode } from '@berth/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { handleError, toErrorBody } from '../http/error-handler.ts';
import { securityHeaders } from '../http/hooks.ts';
import { limitAddresses, type AddressLimits } from './address-places.ts';

export const MAX_HEADER_BYTES = 16 * 1024;
/** More than any client or proxy sends. */
const MAX_HEADERS = 100;
/**
 * A request whose headers are not complete by then is cut off; a connection that never sends a byte counts as one whose
 * headers are late. Bodies: slow-bodies.ts.
 */
const HEADERS_TIMEOUT_MS = 20_000;
/** How often late requests are looked for. */
const CHECK_MS = 5_000;
/** Requests in progress get this long to finish when the server closes. */
const CLOSE_MS = 10_000;
/** Longer than the 60 s after which proxies usually drop an idle connection, so that they close it, not we. */
export const KEEP_ALIVE_MS = 72_000;
/**
 * A reader that accepts nothing of an answer for this long is cut off, whatever the answer; one that reads slowly is
 * not.
 */
const STALLED_MS = 30_000;
/**
 * Idle or not. An agent keeps about three, so that 10,000 hosts fit three times over; the operating system's limit of
 * open files may be lower.
 */
const MAX_CONNECTIONS = 100_000;

/** `requireHostHeader` is checked by us (`assertHeaders`): Node would answer without a body. */
export const httpOptions = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: HEADERS_TIMEOUT_MS,
  connectionsCheckingInterval: CHECK_MS,
  requireHostHeader: false,
};

/** The headers of answers that bypass all hooks. */
const bareHeaders = (): Record<string, string> => ({ 'x-request-id': randomUUID(), ...securityHeaders });

const brokenCodes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'header_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** What the HTTP parser refuses never becomes a request; it is still answered in the API's format. */
export const answerBrokenRequest = (
  error: { code?: string },
  // Node's own handler uses the same property of the socket.
  socket: Socket & { _httpMessage?: ServerResponse | null },
): void => {
  // If an answer is already being sent, a second one would be taken for the rest of it.
  if (!socket.writable || socket._httpMessage?.headersSent) return void socket.destroy();
  const code = brokenCodes[error.code ?? ''] ?? 'malformed_request';
  const { status, hint } = errorTable[code];
  const body = JSON.stringify(toErrorBody(new AppError(code)));
  const headers = {
    ...bareHeaders(),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-error-code': code,
    'x-error-hint': hint,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
};

/** A path that cannot be decoded never reaches a route, nor its hooks. */
export const answerBrokenPath = (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
  reply.headers({ ...bareHeaders(), 'x-request-id': request.id });
  handleError(error, request, reply);
};

/** Node exposes the first of several; a proxy in front may have used another. */
const countHosts = (rawHeaders: readonly string[]): number => {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
};

/**
 * HTTP/1.1 asks for one `Host` header, and no client may send two. Node obeys all headers but shows the first of them
 * only (`maxHeadersCount`): a request with more than we look at is refused before anything relies on them.
 */
export const assertHeaders = ({ raw }: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
  if (raw.rawHeaders.length > 2 * MAX_HEADERS) {
    // How long its body is remains unknown.
    reply.header('connection', 'close');
    return done(new AppError('header_too_large'));
  }
  const count = countHosts(raw.rawHeaders);
  const isRight = count === 1 || (count === 0 && raw.httpVersion !== '1.1');
  return done(isRight ? undefined : new AppError('malformed_request'));
};

/** Per connection, at once. */
const MAX_PIPELINED = 32;

/** What Fastify has no option for. */
export const limitConnections = (app: FastifyInstance, addresses: AddressLimits): void => {
  const server: Server = app.server;
  limitAddresses(server, addresses);
  server.maxConnections = MAX_CONNECTIONS;
  server.maxHeadersCount = MAX_HEADERS + 1;
  // An unknown expectation may be ignored; Node would refuse it without a body.
  server.on('checkExpectation', (request, response) => app.routing(request, response));
  closeInTime(app);
  const countUnderWay = limitPipelines(app);
  // Node restarts a socket's timeout with every byte that its reader accepts; it knows how much of a write has been
  // sent.
  server.setTimeout(STALLED_MS, (socket) => {
    const isStalled = socket.writableLength > 0;
    // A client that is only waiting for us may go on waiting; an idle connection ends here once its `KEEP_ALIVE_MS` are
    // over.
    if (isStalled || countUnderWay(socket) === 0) socket.destroy();
  });
};

/**
 * A client may send requests without waiting for answers, and Node accepts all of them: without a bound, one socket
 * fills the memory with requests that wait for the database. A connection with too many in progress is cut off; no
 * well-behaved client does that.
 * @returns a function that counts the requests in progress on a connection
 */
const limitPipelines = (app: FastifyInstance): ((socket: Socket) => number) => {
  const underWay = new WeakMap<Socket, number>();
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    const count = (underWay.get(socket) ?? 0) + 1;
    underWay.set(socket, count);
    if (count <= MAX_PIPELINED && !socket.destroyed) return done();
    // More requests from the same packet arrive here immediately; they get no other answer.
    socket.destroy();
    reply.hijack();
  });
  app.addHook('onResponse', ({ raw: { socket } }, _reply, done) => {
    underWay.set(socket, (underWay.get(socket) ?? 1) - 1);
    done();
  });
  return (socket) => underWay.get(socket) ?? 0;
};

/**
 * A closing server waits for its connections, and Node then no longer checks for late ones: without this, a connection
 * that never sends anything would delay a stop for ever.
 */
const closeInTime = (app: FastifyInstance): void => {
  const { server } = app;
  const silent = new Set<Socket>();
  const forget = function (this: Socket): void {
    silent.delete(this);
  };
  server.on('connection', (socket: Socket) => {
    silent.add(socket);
    // eslint-disable-next-line berth/no-bare-close -- its close is still to come: it was accepted this moment
    socket.on('close', forget);
  });
  server.on('request', ({ socket }) => silent.delete(socket));
  app.addHook('preClose', (done) => {
    for (const socket of silent) socket.destroy();
    setTimeout(() => server.closeAllConnections(), CLOSE_MS).unref();
    done();
  });
};
