/**
 * Every error answer but 422: code (header `X-Error-Code`) → HTTP status and text. docs/errors.md is checked against this table.
 * `{resource}` is filled by the code that throws.
 */
export const errorTable = {
  malformed_json: {
    status: 400,
    msg: 'The request body is not valid JSON.',
    cause: 'The body cannot be parsed as JSON.',
  },
  body_not_object: {
    status: 400,
    msg: 'The request body must be a JSON object.',
    cause: 'The body is JSON, but an array, a string, a number …',
  },
  malformed_request: {
    status: 400,
    msg: 'The request is malformed.',
    cause: 'A header, the path or the framing of the request is not valid HTTP.',
  },
  unauthenticated: {
    status: 401,
    msg: 'Unauthenticated.',
    cause: 'The token is missing, malformed, unknown, expired or revoked.',
  },
  missing_ability: {
    status: 403,
    msg: 'Invalid ability provided.',
    cause: 'The token lacks the ability that the operation needs.',
  },
  not_from_our_page: {
    status: 403,
    msg: 'This change did not come from a page of Berth. Reload the page and try again.',
    cause: 'A change by cookie lacks `X-Berth-Csrf`, or another origin sent it.',
  },
  account_suspended: { status: 403, msg: 'This account is suspended.', cause: 'The account was suspended or closed.' },
  registration_closed: { status: 403, msg: 'Registration is closed.', cause: 'The operator has closed registration.' },
  operator_only: {
    status: 403,
    msg: 'This operation is reserved for the operator.',
    cause: 'The account is not an operator.',
  },
  not_found: {
    status: 404,
    msg: '{resource} not found.',
    cause: 'No such object of yours; also for malformed ids and objects of other users.',
  },
  route_not_found: { status: 404, msg: 'The requested route does not exist.', cause: 'Unknown path.' },
  method_not_allowed: {
    status: 405,
    msg: 'This method is not supported for this route.',
    cause: 'Known path, other method; see the `Allow` header.',
  },
  request_timeout: {
    status: 408,
    msg: 'The request was not complete in time.',
    cause: 'Headers took longer than 20 seconds, or a body longer than 60 and slower than 8 kB per second.',
  },
  idempotency_key_in_use: {
    status: 409,
    msg: 'Idempotency key is in use.',
    cause: 'A request with the same key is still being carried out.',
  },
  file_in_use: {
    status: 409,
    msg: 'A task that has not ended needs this file. Cancel the task, or wait for its end, and delete the file then.',
    cause: 'The file that is to be deleted stands in the payload of a task that waits or runs.',
  },
  session_superseded: {
    status: 409,
    msg: 'Another agent has taken over this host.',
    cause: 'An agent of the same host started a newer session.',
  },
  body_too_large: {
    status: 413,
    msg: 'The request body is too large.',
    cause: 'Over 1 MiB (file upload: 32 MiB; without a token: 16 KiB), too deeply nested or too many values.',
  },
  storage_quota: {
    status: 413,
    msg: 'Your storage is full. Delete files that you no longer need, or change the plan.',
    cause:
      'The file would exceed what the plan allows the files of an account to come to, or the account has 100,000 files.',
  },
  attempt_quota: {
    status: 413,
    msg: 'The host has uploaded too much for this attempt.',
    cause: 'An agent uploaded more than 64 MiB for one attempt of a task.',
  },
  unsupported_media_type: {
    status: 415,
    msg: 'The media type of the request body is not supported.',
    cause: 'A body that is not `application/json`.',
  },
  header_too_large: { status: 431, msg: 'The request headers are too large.', cause: 'Over 16 KiB of headers.' },
  too_many_requests: {
    status: 429,
    msg: 'Too many attempts.',
    cause: 'A rate limit is used up, or too many large bodies are under way; see `Retry-After`.',
  },
  internal: {
    status: 500,
    msg: 'Something went wrong on our side. Quote the request id when you report it.',
    cause: 'A defect; the log holds the details under the request id.',
  },
  unavailable: {
    status: 503,
    msg: 'The service is briefly unavailable. Please try again.',
    cause: 'The database is away, the server is stopping, or too much waits; see `Retry-After`.',
  },
  scheduler_stalled: {
    status: 503,
    msg: 'The scheduler has completed no tick for over a minute. The logs of the servers say why.',
    cause: 'Only `/readyz`: due, lost and waiting work of all servers stands still. Requests are answered as usual.',
  },
  disk_full: {
    status: 507,
    msg: 'The service has no disk space left. Nothing was changed; please try again later.',
    cause: 'The disk of the server or of its database is full. That is for the operator to mend.',
  },
} as const;

export type ErrorCode = keyof typeof errorTable;

/** One text of one field of a 422 answer. */
export interface FieldError {
  /** Request field name; array items as `abilities.1`, payload fields as `payload.symbol`. */
  field: string;
  text: string;
}
