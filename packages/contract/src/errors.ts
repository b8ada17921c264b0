import { limitErrors } from './limit-errors.ts';
import { serviceErrors } from './service-errors.ts';

/**
 * Every error answer but 422: code (`code`, and the header `X-Error-Code`) → HTTP status, text, cause, and what the
 * caller should do next (`hint`, and the header `X-Error-Hint`, in ASCII). docs/errors.md is checked against this table. `{resource}` is filled in by
 * the code that throws.
 */
export const errorTable = {
  malformed_json: {
    status: 400,
    msg: 'The request body is not valid JSON.',
    cause: 'The body cannot be parsed as JSON.',
    hint: 'Send JSON that a parser accepts; the header `Content-Type` is `application/json`.',
  },
  body_not_object: {
    status: 400,
    msg: 'The request body must be a JSON object.',
    cause: 'The body is JSON, but an array, a string, a number …',
    hint: 'Send an object in braces, even if it has one field.',
  },
  malformed_request: {
    status: 400,
    msg: 'The request is malformed.',
    cause: 'A header, the path or the framing of the request is not valid HTTP.',
    hint: 'Check the header lines, the percent-encoding of the path, and what stands between you and the server.',
  },
  unauthenticated: {
    status: 401,
    msg: 'Unauthenticated.',
    cause: 'The token is missing, malformed, unknown, expired or revoked.',
    hint: 'Send `Authorization: Bearer <id>|<secret>`. POST /v1/auth/login makes a token.',
  },
  missing_ability: {
    status: 403,
    msg: 'Invalid ability provided.',
    cause: 'The token lacks the ability that the operation needs.',
    hint: 'Use a token that has the ability which `/docs/api` names for this route; a login has all.',
  },
  not_from_our_page: {
    status: 403,
    msg: 'This change did not come from a page of Berth. Reload the page and try again.',
    cause: 'A change by cookie lacks `X-Berth-Csrf`, or another origin sent it.',
    hint: 'Send the csrf_token of GET /v1/auth/session as `X-Berth-Csrf`, from a page of this server.',
  },
  account_suspended: {
    status: 403,
    msg: 'This account is suspended.',
    cause: 'The account was suspended or closed.',
    hint: 'Ask the operator of this server.',
  },
  account_locked: {
    status: 403,
    msg: 'This terminal is locked. Unlock it first.',
    cause: 'A lock refuses logins, experts, algo trading and the start of a terminal; `locked_reason` says why.',
    hint: 'POST /v1/my/trading/terminals/{id}/unlock with a reason; the token needs the ability risk.',
  },
  registration_closed: {
    status: 403,
    msg: 'Registration is closed.',
    cause: 'The operator has closed registration.',
    hint: 'Ask the operator of this server for an account.',
  },
  operator_only: {
    status: 403,
    msg: 'This operation is reserved for the operator.',
    cause: 'The account is not an operator.',
    hint: 'Sign in as an operator.',
  },
  missing_role: {
    status: 403,
    msg: 'Your role does not allow this.',
    cause: 'A viewer changes something, or an operator changes other operators or closes an account.',
    hint: 'Ask an owner of this server to do it, or for the role: PATCH /v1/operator/users/{id}.',
  },
  password_required: {
    status: 403,
    msg: 'Enter your password again to do this.',
    cause: 'The session of a browser does what destroys or reveals, and the password was not given for ten minutes.',
    hint: 'POST /v1/my/account/sessions/confirm with the password, and send this request again.',
  },
  not_found: {
    status: 404,
    msg: '{resource} not found.',
    cause: 'No such object of yours; also for malformed ids and objects of other users.',
    hint: 'List your objects to see which ids there are.',
  },
  no_account_data: {
    status: 404,
    msg: 'Nothing was reported of the account of this terminal yet.',
    cause: 'The host of the terminal has not reported the account that it is logged in to.',
    hint: 'Wait until the terminal is active. If nothing comes, its host runs no link program in it.',
  },
  route_not_found: {
    status: 404,
    msg: 'The requested route does not exist.',
    cause: 'Unknown path.',
    hint: 'GET /openapi.json lists every route.',
  },
  method_not_allowed: {
    status: 405,
    msg: 'This method is not supported for this route.',
    cause: 'Known path, other method; see the `Allow` header.',
    hint: 'Use a method of the header `Allow`.',
  },
  request_timeout: {
    status: 408,
    msg: 'The request was not complete in time.',
    cause: 'Headers took longer than 20 seconds, or a body longer than 60 and slower than 8 kB per second.',
    hint: 'Send it again, over a connection that carries at least 8 kB per second.',
  },
  idempotency_key_in_use: {
    status: 409,
    msg: 'Idempotency key is in use.',
    cause: 'A request with the same key is still being carried out.',
    hint: 'Send the same request again in a moment.',
  },
  file_in_use: {
    status: 409,
    msg: 'A task that has not ended needs this file. Cancel the task, or wait for its end, and delete the file then.',
    cause: 'The file that is to be deleted stands in the payload of a task that waits or runs.',
    hint: 'Cancel the task, or wait for its end.',
  },
  own_account: {
    status: 409,
    msg: 'You cannot suspend or close your own account.',
    cause: 'An operator suspends or closes the account that makes the request.',
    hint: 'Another operator can.',
  },
  last_owner: {
    status: 409,
    msg: 'One active owner has to remain.',
    cause: 'The only active owner would lose the role, or the account.',
    hint: 'Make another operator an owner first.',
  },
  too_many_invitations: {
    status: 409,
    msg: 'There are 500 invitations that nobody has accepted yet.',
    cause: 'An operator invites somebody while as many invitations are open as there may be.',
    hint: 'DELETE /v1/operator/invitations/{id} revokes those that are not needed.',
  },
  user_closed: {
    status: 409,
    msg: 'The account is closed.',
    cause: 'The status of a closed account is changed.',
    hint: 'POST /v1/operator/users/{id}/reopen brings it back, suspended, until `closes_at`.',
  },
  user_not_closed: {
    status: 409,
    msg: 'The account is not closed, or its data is already being removed.',
    cause: 'An account is reopened that is not closed, or after its `closes_at`.',
    hint: 'Read the user: `status` and `closes_at` say which.',
  },
  user_not_active: {
    status: 409,
    msg: 'The account is suspended or closed.',
    cause: 'A link to set a password is asked for an account that could not sign in with it.',
    hint: 'PATCH /v1/operator/users/{id} with status active, and ask again.',
  },
  terminal_not_movable: {
    status: 409,
    msg: 'The terminal cannot be moved now. {resource}',
    cause: 'A terminal is moved that does not run, is out of reach, could not log in elsewhere, or is being moved.',
    hint: 'Do what the message says, and send the request again.',
  },
  host_draining: {
    status: 409,
    msg: 'The host is being drained by its operator: nothing is started on it until that ends.',
    cause: 'The operator takes the host of the terminal out of service, or uncordons a host that is being drained.',
    hint: 'Ask the operator, or create the terminal again. Operators: DELETE /v1/operator/hosts/{id}/drain.',
  },
  no_backups: {
    status: 409,
    msg: 'No backups are scheduled on this server.',
    cause: 'A backup is asked for, and no server has a folder for backups.',
    hint: 'Set BERTH_BACKUP_DIR and restart the server, or use script/backup on its machine.',
  },
  backup_under_way: {
    status: 409,
    msg: 'A backup is being made, or is about to be.',
    cause: 'A backup is asked for while one is under way or due.',
    hint: 'Wait for its end: GET /v1/operator/overview shows it as `backup`.',
  },
  nothing_matched: {
    status: 409,
    msg: 'No terminal matches.',
    cause: 'What is to be done on many terminals has a filter that matches none, or the account has none.',
    hint: 'Look at the filter. GET /v1/my/trading/terminals with the same filter shows what it matches.',
  },
  agent_too_old: {
    status: 409,
    msg: 'The agent of the host of this terminal cannot do that: it is too old.',
    cause: 'An unlock with `reset_marks`, and the agent of the host cannot let rules begin anew.',
    hint: 'Upgrade the agent of the host, or unlock without reset_marks.',
  },
  session_superseded: {
    status: 409,
    msg: 'Another agent has taken over this host.',
    cause: 'An agent of the same host started a newer session.',
    hint: 'Run one agent per host. The older one has to stop.',
  },
  body_too_large: {
    status: 413,
    msg: 'The request body is too large.',
    cause:
      'Over 64 KiB (files: 32 MiB; without a token: 16 KiB; others as `/docs/api` says), nested over 64 deep, or over 100,000 values.',
    hint: 'Send less at once.',
  },
  storage_quota: {
    status: 413,
    msg: 'Your storage is full. Delete files that you no longer need, or change the plan.',
    cause:
      'The file would exceed what the plan allows the files of an account to come to, or the account has 100,000 files.',
    hint: 'DELETE /v1/my/files/{id} makes room.',
  },
  attempt_quota: {
    status: 413,
    msg: 'The host has uploaded too much for this attempt.',
    cause: 'An agent uploaded more than 64 MiB for one attempt of a task.',
    hint: 'The attempt fails; the task is tried again or ends.',
  },
  unsupported_media_type: {
    status: 415,
    msg: 'The media type of the request body is not supported.',
    cause: 'A body that is not `application/json`.',
    hint: 'Set `Content-Type: application/json`.',
  },
  form_not_accepted: {
    status: 415,
    msg: 'A form is not a file: its boundaries and fields would be stored as part of it.',
    cause: 'A file was sent as `multipart/form-data` or `application/x-www-form-urlencoded` (`curl -F`, `curl -d`).',
    hint: 'Send the bytes alone: curl --data-binary @file with `Content-Type: application/octet-stream`.',
  },
  range_not_satisfiable: {
    status: 416,
    msg: 'The requested range is outside the file.',
    cause: 'The header `Range` begins behind the end of the file; `Content-Range` says how long it is.',
    hint: 'Ask for bytes that the file has.',
  },
  unknown_server_name: {
    status: 421,
    msg: 'Unrecognised `Host` header.',
    cause:
      'The server listens on loopback only, and `Host` is no address and neither `localhost` nor in `BERTH_SERVER_NAMES`.',
    hint: 'Ask http://localhost or the address, or let the operator add the name to BERTH_SERVER_NAMES.',
  },
  header_too_large: {
    status: 431,
    msg: 'The request headers are too large.',
    cause: 'Over 16 KiB of headers, or over 100 of them.',
    hint: 'Send fewer or shorter headers and a shorter URL.',
  },
  ...limitErrors,
  ...serviceErrors,
} as const satisfies Record<string, { status: number; msg: string; cause: string; hint: string }>;

export type ErrorCode = keyof typeof errorTable;

/** One message about one field of a 422 answer. */
export interface FieldError {
  /** Request field name; array items as `abilities.1`, payload fields as `payload.symbol`. */
  field: string;
  text: string;
  /** What to do, for the header, where the text is fixed. It never contains any input. */
  hint?: string;
}
