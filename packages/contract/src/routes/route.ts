import type { Ability } from '../abilities.ts';
import type { ErrorCode, FieldError } from '../errors.ts';
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
  webhook_id: 'Webhook',
  delivery_id: 'Delivery',
} as const;
export type PathParameter = keyof typeof pathResources;

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
  /** Rules that the schemas do not express; run on a request whose schemas hold. Pure. */
  rules?: (input: { query: Record<string, unknown>; body: Record<string, unknown> }, now: Date) => FieldError[];
  /**
   * How input is normalised: `create` (the default) trims strings and takes empty ones and null as absent; `patch` does
   * the same but keeps null, which then is a wrong type; `verbatim` is for programs: nothing is changed but what cannot
   * be stored.
   */
  input?: 'create' | 'patch' | 'verbatim';
  /** A field that the body does not know is refused, because a typo would act. Elsewhere existing programs send more. */
  isStrict?: boolean;
  /** The body is raw bytes, not JSON. */
  isRawBody?: boolean;
  /** It creates something and honours the header `Idempotency-Key`. Not for what answers a secret: answers are kept. */
  isIdempotent?: boolean;
  /** It answers bytes with an ETag, and 304 to whoever has them. */
  download?: {
    /** What they can be; a range of media types for anything. */
    mediaTypes: readonly string[];
    /** Parts of them can be asked for. */
    hasRanges?: boolean;
  };
  /** Its body creates a task of one of these types: `payload` is the one of `type`. */
  taskTypes?: readonly TaskType[];
  /** Errors beside those that follow from the rest of the description (`listErrorCodes`). */
  errors?: readonly ErrorCode[];
  response: TSchema;
}

/**
 * Describes a route; its types are kept as exactly as they are written.
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
