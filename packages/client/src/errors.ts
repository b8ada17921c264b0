/** What the client throws; what ends a wait is in waiting/errors.ts. */

/**
 * The base of all errors of this client.
 * @example
 * import { BerthError, NotFoundError } from '@berth/client';
 * const toText = (error: unknown): string => {
 *   if (error instanceof NotFoundError) return 'It is gone.';
 *   return error instanceof BerthError ? error.message : 'A defect of this program.';
 * };
 * toText(new BerthError('Nobody answered.')); // => 'Nobody answered.'
 */
export class BerthError extends Error {
  /** Name of the class. */
  override name = 'BerthError';
}

/**
 * An argument is wrong: an id is missing, a status does not exist, a body is not JSON. Nothing was sent.
 * @example
 * import { Berth, InvalidArgumentError } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const failure = await berth.terminals.get('').catch((error: unknown) => error);
 * failure instanceof InvalidArgumentError; // => true
 */
export class InvalidArgumentError extends BerthError {
  /** Name of the class. */
  override name = 'InvalidArgumentError';
}

/**
 * A filter has a field that is empty, or one that the API does not know. Nothing was sent: it would have let
 * everything through.
 * @example
 * import { Berth, FilterError } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const failure = await berth.terminals.counts({ status: [] }).catch((error: unknown) => error);
 * failure instanceof FilterError; // => true
 */
export class FilterError extends InvalidArgumentError {
  /** Name of the class. */
  override name = 'FilterError';
}

/**
 * The server could not be reached, or the connection broke before the response was complete. `cause` has the details.
 * @example
 * import { Berth, ConnectionError } from '@berth/client';
 * const nobody = new Berth({ baseUrl: 'http://127.0.0.1:9', token: '<id>|<secret>', maxRetries: 0 });
 * const failure = await nobody.account.profile().catch((error: unknown) => error);
 * failure instanceof ConnectionError; // => true
 */
export class ConnectionError extends BerthError {
  /** Name of the class. */
  override name = 'ConnectionError';
  /** What was called, for a log: `GET /v1/my/projects`. The message is a sentence for people, without it. */
  readonly call: string;

  constructor(message: string, call: string, options?: ErrorOptions) {
    super(message, options);
    this.call = call;
  }
}

/**
 * There was no complete response in time, or what was waited for did not come.
 * @example
 * import { TimeoutError } from '@berth/client';
 * const isLate = (error: unknown): boolean => error instanceof TimeoutError;
 * isLate(new Error('The disk is full.')); // => false
 */
export class TimeoutError extends BerthError {
  /** Name of the class. */
  override name = 'TimeoutError';
}

/**
 * Your `signal` ended the call. `cause` is its reason.
 * @example
 * import { AbortedError, Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const failure = await berth.account.profile({ signal: AbortSignal.abort() }).catch((error: unknown) => error);
 * failure instanceof AbortedError; // => true
 */
export class AbortedError extends BerthError {
  /** As in all web APIs. */
  override name = 'AbortError';
}

/**
 * The response does not come from Berth, but from a proxy, a portal or another service. Whether the request was carried out is
 * unknown.
 * @example
 * import { Berth, UnexpectedAnswerError } from '@berth/client';
 * const portal = () => Promise.resolve(new Response('<h1>Welcome to our network</h1>', { status: 511 }));
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', maxRetries: 0, fetch: portal });
 * const failure = await berth.account.profile().catch((error: unknown) => error);
 * failure instanceof UnexpectedAnswerError && failure.status; // => 511
 */
export class UnexpectedAnswerError extends BerthError {
  /** Name of the class. */
  override name = 'UnexpectedAnswerError';
  /** HTTP status; 0 where a browser hides that of a redirect. */
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** What every response of Berth that is no success says of itself. */
export interface ResponseFacts {
  /** HTTP status. */
  status: number;
  /** Stable code, as in the table of errors: `not_found`, `plan_limit`; undefined where the API has none. */
  code: string | undefined;
  /** Quote it when you report a problem. */
  requestId: string | undefined;
  /** What `Retry-After` says. */
  retryAfterMs: number | undefined;
  /** What to do about it, in a sentence. */
  hint: string | undefined;
  /** Texts by field, of a response 422. */
  errors: Readonly<Record<string, readonly string[]>>;
}

class ErrorResponse extends BerthError {
  /** HTTP status. */
  readonly status: number;
  /** Stable code, as in the table of errors: `not_found`, `plan_limit`; undefined where the API has none. */
  readonly code: string | undefined;
  /** Quote it when you report a problem. */
  readonly requestId: string | undefined;
  /** How long to wait before the next try, where the server said it. */
  readonly retryAfterMs: number | undefined;
  /** What to do about it, in a sentence; undefined where the server says nothing. */
  readonly hint: string | undefined;

  constructor(message: string, { status, code, requestId, retryAfterMs, hint }: ResponseFacts) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
    this.hint = hint;
  }
}

/**
 * The request was right, but is not possible now: HTTP 200 with `ok: false`. The message says why.
 * @example
 * import { Berth, RefusedError } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const { default_project_id: id } = await berth.account.profile();
 * const failure = await berth.projects.delete(id).catch((error: unknown) => error);
 * failure instanceof RefusedError && failure.code; // => 'default_project'
 */
export class RefusedError extends ErrorResponse {
  /** Name of the class. */
  override name = 'RefusedError';
}

/**
 * Berth answered with an error status.
 * @example
 * import { ApiError, Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const failure = await berth.terminals.get('nothing-has-this-id').catch((error: unknown) => error);
 * failure instanceof ApiError && failure.status; // => 404
 * failure instanceof ApiError && failure.requestId === undefined; // => false
 */
export class ApiError extends ErrorResponse {
  /** Name of the class. */
  override name = 'ApiError';
}

/**
 * 401: the token is missing, wrong, expired or revoked, or the session is over.
 * @example
 * import { AuthenticationError, Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '1|not-a-token' });
 * const failure = await berth.account.profile().catch((error: unknown) => error);
 * failure instanceof AuthenticationError && failure.status; // => 401
 */
export class AuthenticationError extends ApiError {
  /** Name of the class. */
  override name = 'AuthenticationError';
}

/**
 * 403: the token lacks an ability, or the account may not do this.
 * @example
 * import { Berth, PermissionError } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const { token } = await berth.account.tokens.create({ name: 'looks only', abilities: ['read'] });
 * const reader = new Berth({ baseUrl: 'http://127.0.0.1:4000', token });
 * const failure = await reader.projects.create({ name: 'Metals' }).catch((error: unknown) => error);
 * failure instanceof PermissionError && failure.status; // => 403
 */
export class PermissionError extends ApiError {
  /** Name of the class. */
  override name = 'PermissionError';
}

/**
 * 404: there is no such object of yours.
 * @example
 * import { Berth, NotFoundError } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const failure = await berth.terminals.get('nothing-has-this-id').catch((error: unknown) => error);
 * failure instanceof NotFoundError && failure.message; // => 'Terminal not found.'
 */
export class NotFoundError extends ApiError {
  /** Name of the class. */
  override name = 'NotFoundError';
}

/**
 * 409: the request conflicts with the current state.
 * @example
 * import { ConflictError } from '@berth/client';
 * const isWorthAnotherTry = (error: unknown): boolean => error instanceof ConflictError;
 * isWorthAnotherTry(new Error('The disk is full.')); // => false
 */
export class ConflictError extends ApiError {
  /** Name of the class. */
  override name = 'ConflictError';
}

/**
 * 422: fields are invalid.
 * @example
 * import { Berth, ValidationError } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const failure = await berth.projects.create({ name: '' }).catch((error: unknown) => error);
 * failure instanceof ValidationError && failure.errors.name; // => ['The name field is required.']
 */
export class ValidationError extends ApiError {
  /** Name of the class. */
  override name = 'ValidationError';
  /** Texts by field: `new_password`, `abilities.1`, `payload.symbol`. */
  readonly errors: Readonly<Record<string, readonly string[]>>;

  constructor(message: string, facts: ResponseFacts) {
    super(message, facts);
    this.errors = facts.errors;
  }
}

/**
 * 429: a limit is used up. `retryAfterMs` says when it is worth another try.
 * @example
 * import { RateLimitError } from '@berth/client';
 * const toPauseMs = (error: unknown): number => (error instanceof RateLimitError ? (error.retryAfterMs ?? 1000) : 0);
 * toPauseMs(new Error('The disk is full.')); // => 0
 */
export class RateLimitError extends ApiError {
  /** Name of the class. */
  override name = 'RateLimitError';
}

/**
 * 500 and above: something is wrong on the side of the service.
 * @example
 * import { ServerError } from '@berth/client';
 * const toReport = (error: unknown) => (error instanceof ServerError ? `Request ${error.requestId} failed` : 'No report');
 * toReport(new Error('The disk is full.')); // => 'No report'
 */
export class ServerError extends ApiError {
  /** Name of the class. */
  override name = 'ServerError';
}

const byStatus: Record<number, typeof ApiError> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  422: ValidationError,
  429: RateLimitError,
};

/** The error of a response with an error status. */
export const toApiError = (message: string, facts: ResponseFacts): ApiError => {
  const Kind = byStatus[facts.status] ?? (facts.status >= 500 ? ServerError : ApiError);
  return new Kind(message, facts);
};
