import type { Ability } from '../abilities.ts';
import type { ErrorCode, FieldError } from '../errors.ts';
import { MAX_ANONYMOUS_BODY_BYTES, MAX_BODY_BYTES, MAX_FILE_BYTES } from '../limits.ts';
import type { TObject, TSchema } from '../schema.ts';
import type { TaskType } from '../tasks/types.ts';

/** Resources that a path parameter can name; the text is what a 404 calls them. */
export const pathResources = {
  terminal_id: 'Terminal',
  task_id: 'Task',
  run_id: 'Run',
  token_id: 'Token',
  session_id: 'Session',
  notification_id: 'Notification',
  file_id: 'File',
  project_id: 'Project',
  host_id: 'Host',
  user_id: 'User',
  webhook_id: 'Webhook',
  delivery_id: 'Delivery',
  schedule_id: 'Schedule',
  alert_channel_id: 'Alert channel',
  alert_rule_id: 'Alert rule',
  alert_id: 'Alert',
  rule_id: 'Rule',
  breach_id: 'Breach',
} as const;
export type PathParameter = keyof typeof pathResources;

/** Limits of single routes, beside those of all, and the error of each. */
export const routeLimits = {
  taskCreation: 'task_creation_rate_limit',
  subscription: 'subscription_rate_limit',
  alertChannel: 'alert_channel_rate_limit',
  credentials: 'credentials_rate_limit',
  passwordChange: 'password_change_rate_limit',
  enrolment: 'enrolment_rate_limit',
} as const satisfies Record<string, ErrorCode>;
export type RouteLimit = keyof typeof routeLimits;

export interface RouteContract {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path with parameters as `:terminal_id`; every parameter is a key of `pathResources`. */
  url: string;
  summary: string;
  tag: string;
  /** Who may call: anybody, a user with the ability, an operator (with the ability), or a host's agent. */
  auth: 'none' | 'user' | 'operator' | 'host';
  ability?: Ability;
  query?: TObject;
  body?: TObject;
  /** Rules that the schemas cannot express; applied to requests that match the schemas. Pure. */
  rules?: (input: { query: Record<string, unknown>; body: Record<string, unknown> }, now: Date) => FieldError[];
  /**
   * How input is normalised: `create` (the default) trims strings and treats empty ones and null as absent; `patch`
   * does the same but keeps null, which is then a wrong type; `verbatim` is for programs: nothing is changed except
   * what cannot be stored.
   */
  input?: 'create' | 'patch' | 'verbatim';
  /**
   * An unknown field in the body is refused, because a typo would have effects. Elsewhere existing programs send
   * additional fields.
   */
  isStrict?: boolean;
  /** The body is raw bytes, not JSON. */
  isRawBody?: boolean;
  /** The most bytes of its body, where that is not what `toMaxBodyBytes` says for all. */
  maxBodyBytes?: number;
  /**
   * It creates something and honours the header `Idempotency-Key`. Not for answers with secrets: answers are stored.
   */
  isIdempotent?: boolean;
  /** It answers binary content with an ETag, and 304 to clients that have it. */
  download?: {
    /** The possible media types; `*` for any. */
    mediaTypes: readonly string[];
    /** Range requests are supported. */
    hasRanges?: boolean;
  };
  /** Its body creates a task of one of these types: `payload` is that of `type`. */
  taskTypes?: readonly TaskType[];
  /**
   * What its requests count towards, too. Also those that are then refused: 429 takes precedence over 404 and 422.
   */
  limit?: RouteLimit;
  /** Errors in addition to those that follow from the rest of the description (`listErrorCodes`). */
  errors?: readonly ErrorCode[];
  response: TSchema;
}

/**
 * Describes a route; its literal types are preserved.
 * @example
 * import { defineRoute, Envelope, Null } from '@berth/contract';
 * const route = defineRoute({
 *   method: 'POST',
 *   url: '/v1/my/example/:project_id',
 *   summary: 'Do something with a project',
 *   tag: 'Example',
 *   auth: 'user',
 *   ability: 'write',
 *   response: Envelope(Null),
 * });
 * route.method; // => 'POST'
 */
export const defineRoute = <const Route extends RouteContract>(route: Route): Route => route;

/**
 * The most bytes that a body of the route may have.
 * @example
 * import { bulkRunRoutes, toMaxBodyBytes } from '@berth/contract';
 * toMaxBodyBytes(bulkRunRoutes.createBulkRun); // => 524288
 */
export const toMaxBodyBytes = ({ auth, isRawBody = false, maxBodyBytes }: RouteContract): number => {
  if (isRawBody) return MAX_FILE_BYTES;
  return maxBodyBytes ?? (auth === 'none' ? MAX_ANONYMOUS_BODY_BYTES : MAX_BODY_BYTES);
};
