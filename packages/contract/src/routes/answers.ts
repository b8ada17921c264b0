import type { ErrorCode } from '../errors.ts';
import { routeLimits, toNeededRole, type RouteContract } from './route.ts';

/** Errors that every request may get. */
export const errorsAnywhere = [
  'malformed_request',
  'unknown_server_name',
  'request_timeout',
  'header_too_large',
  'transfer_limit',
  'queue_limit',
  'internal',
  'unavailable',
  'disk_full',
] as const;

const when = (is: boolean, ...codes: ErrorCode[]): ErrorCode[] => (is ? codes : []);

/**
 * The error codes that a route can answer, besides 422; defined only here. All follow from the route's description;
 * those that do not are listed in its `errors`.
 * @example
 * import { fileRoutes, listErrorCodes } from '@berth/contract';
 * listErrorCodes(fileRoutes.deleteFile).includes('file_in_use'); // => true
 */
export const listErrorCodes = (route: RouteContract): ErrorCode[] => {
  const { auth, ability, method, url, isRawBody = false, isIdempotent = false, download, limit, errors = [] } = route;
  const isOfUser = auth === 'user' || auth === 'operator';
  // A body may be sent even where none is expected, and is read.
  const hasBody = method !== 'GET';
  return [
    ...when(hasBody && !isRawBody, 'malformed_json', 'body_not_object'),
    ...when(auth !== 'none', 'unauthenticated', 'refused_token_rate_limit'),
    ...when(isOfUser, 'account_suspended', 'token_rate_limit', 'account_rate_limit'),
    ...when(auth === 'host', 'host_call_limit'),
    ...(limit === undefined ? [] : [routeLimits[limit]]),
    ...when(ability !== undefined, 'missing_ability'),
    ...when(isOfUser && hasBody, 'not_from_our_page'),
    ...when(auth === 'operator', 'operator_only'),
    ...when(auth === 'operator' && toNeededRole(route) !== 'viewer', 'missing_role'),
    ...when(route.needsConfirmation !== undefined, 'password_required'),
    ...when(url.includes('/:'), 'not_found'),
    ...when(hasBody, 'body_too_large'),
    ...when(hasBody && !isRawBody, 'unsupported_media_type'),
    ...when(isRawBody, 'form_not_accepted'),
    ...when(isIdempotent, 'idempotency_key_in_use'),
    ...when(download?.hasRanges ?? false, 'range_not_satisfiable'),
    ...errors,
    ...errorsAnywhere,
  ];
};

/** Whether a route can answer 422: it has input that can be invalid. */
export const canBeInvalid = ({ query, body, isRawBody, isIdempotent, isStrict }: RouteContract): boolean =>
  [query, body, isRawBody, isIdempotent, isStrict].some(Boolean);
