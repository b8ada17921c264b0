import type { Ability } from '../abilities.ts';
import type { AuditAction } from '../audit/values.ts';
import type { ErrorCode, FieldError } from '../errors.ts';
import { MAX_ANONYMOUS_BODY_BYTES, MAX_BODY_BYTES, MAX_FILE_BYTES } from '../limits.ts';
import type { TObject, TSchema } from '../schema.ts';
import type { TaskType } from '../tasks/types.ts';
import type { OperatorRole } from '../users/values.ts';

/** Resources that a path parameter can name; the text is what a 404 calls them. */
export const pathResources = {
  terminal_id: 'Terminal',
  snapshot_id: 'Snapshot',
  task_id: 'Task',
  run_id: 'Run',
  token_id: 'Token',
  session_id: 'Session',
  notification_id: 'Notification',
  file_id: 'File',
  project_id: 'Project',
  host_id: 'Host',
  join_token_id: 'Join token',
  user_id: 'User',
  region_id: 'Region',
  invitation_id: 'Invitation',
  webhook_id: 'Webhook',
  delivery_id: 'Delivery',
  schedule_id: 'Schedule',
  alert_channel_id: 'Alert channel',
  alert_rule_id: 'Alert rule',
  alert_id: 'Alert',
  rule_id: 'Rule',
  breach_id: 'Breach',
  view_name: 'View',
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

/** What decides whether a request needs the password. */
export interface AskedRequest {
  body: Record<string, unknown>;
  /** The header `Accept`. */
  accept: string;
  isOperator: boolean;
}

export interface RouteContract {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with parameters as `:terminal_id`; every parameter is a key of `pathResources`. */
  url: string;
  summary: string;
  tag: string;
  /** Who may call: anybody, a user with the ability, an operator (with the ability), or a host's agent. */
  auth: 'none' | 'user' | 'operator' | 'host';
  ability?: Ability;
  /** Of operators: the role that they need, where it is not what `toNeededRole` says for all. */
  role?: OperatorRole;
  /**
   * It destroys or reveals something: in a browser's session the password must have been given within the last minutes
   * (`confirmSession`). Programs, which have tokens, are not asked. A function says for which requests.
   */
  needsConfirmation?: true | ((asked: AskedRequest) => boolean);
  /**
   * What the audit log says of a change by a person, `<resource>.<verb>`; null where there is nothing to keep. Every
   * route of users and operators that changes something says it; a test compares.
   */
  audit?: AuditAction | null;
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
  /** It answers these, too, where `Accept` asks for one: all rows as a file, up to a bound. */
  exports?: readonly string[];
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
 * The role that an operator needs for a route of operators.
 * @example
 * import { toNeededRole, userRoutes } from '@berth/contract';
 * toNeededRole(userRoutes.listUsers); // => 'viewer'
 * toNeededRole(userRoutes.closeUser); // => 'owner'
 */
export const toNeededRole = ({ method, role }: Pick<RouteContract, 'method' | 'role'>): OperatorRole =>
  role ?? (method === 'GET' ? 'viewer' : 'operator');

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
