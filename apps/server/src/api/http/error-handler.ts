import { errorTable, type ErrorCode } from '@berth/contract';
import { TooManyWaitingError } from '@berth/kit';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseUnavailableError, isDiskFull } from '../../db/database.ts';
import { AppError, ValidationError } from '../../errors.ts';

/** Fastify's own errors → codes of the API. */
const frameworkCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
};

const toAppError = (error: unknown): AppError => {
  if (error instanceof AppError) return error;
  if (error instanceof DatabaseUnavailableError) {
    return new AppError('unavailable', { retryAfterSeconds: 2 }, { cause: error });
  }
  if (isDiskFull(error)) return new AppError('disk_full', { retryAfterSeconds: 30 }, { cause: error });
  if (error instanceof TooManyWaitingError) return new AppError('queue_limit', { retryAfterSeconds: 5 });
  const { code = '', statusCode = 500 } = (error ?? {}) as Partial<FastifyError>;
  const known = frameworkCodes[code];
  if (known) return new AppError(known);
  if (statusCode >= 400 && statusCode < 500) return new AppError('malformed_request', {}, { cause: error });
  if (statusCode === 503) return new AppError('unavailable', { retryAfterSeconds: 2 }, { cause: error });
  return new AppError('internal', {}, { cause: error });
};

/** The body of every error except 422. */
export const toErrorBody = ({ message, code }: AppError) => ({
  ok: false,
  msg: message,
  data: null,
  code,
  hint: errorTable[code].hint,
});

/** Bypasses the route's own serialiser, which only knows its success; Fastify then leaves the media type to us. */
const sendJson = (reply: FastifyReply, body: object): FastifyReply =>
  reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send(body);

/** The only place that knows the HTTP status of errors. */
export const handleError = (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  if (thrown instanceof ValidationError) {
    reply.code(422).header('x-error-code', 'validation').header('x-error-hint', thrown.hint);
    return sendJson(reply, thrown.toBody());
  }
  const error = toAppError(thrown);
  const { status, hint } = errorTable[error.code];
  // A refusal without a cause is intended (too many requests wait, the server stops); its line in the log is enough.
  const isMeant = thrown instanceof AppError && thrown.cause === undefined;
  if (status >= 500 && !isMeant) request.log.error({ err: thrown }, 'a request failed');
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
  reply.code(status).header('x-error-code', error.code).header('x-error-hint', hint);
  return sendJson(reply, toErrorBody(error));
};

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** 405 with `Allow` where the path exists with another method, otherwise 404. */
export const createNotFoundHandler = (app: FastifyInstance) => (request: FastifyRequest, reply: FastifyReply) => {
  const [path = '/'] = request.url.split('?');
  const allowed = METHODS.filter((method) => app.findRoute({ method, url: path }) !== null);
  if (allowed.length === 0) throw new AppError('route_not_found');
  reply.header('allow', allowed.join(', '));
  throw new AppError('method_not_allowed');
};
