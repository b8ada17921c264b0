/** Turns a route of the contract and a handler into a Fastify route, with every check in the documented order. */
import {
  pathResources,
  toMaxBodyBytes,
  Type,
  type FieldError,
  type PathParameter,
  type RouteContract,
  type Static,
  type TSchema,
} from '@berth/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions as FastifyRouteOptions } from 'fastify';
import type { Actor } from '../../audit/record.ts';
import { AppError, ValidationError } from '../../errors.ts';
import type { CallingHost } from '../../hosts/queries.ts';
import type { Creation } from '../../db/database.ts';
import type { CoreServices, RouteServices, Services } from '../../services.ts';
import { isUuid } from '../../validation/uuid.ts';
import { compileBody, compileQuery, compileStrictBody } from '../../validation/validation.ts';
import type { HostCallLimiter, Limiter, RateLimits } from '../limits/rate-limits.ts';
import { toOwner } from '../limits/room.ts';
import { createAdditions } from './envelope.ts';
import { assertAllowed, assertConfirmed, authenticateHost, authenticateUser } from './authenticate.ts';
import { acceptAnyBytes } from './body-parsers.ts';
import { getCaller, getCallingHost, toAuditActor, type Caller } from './caller.ts';
import { createOnce, findIdempotencyKey } from './idempotency.ts';
import { assertOwnChange } from './session-cookie.ts';

type ParamNames<Url extends string> = Url extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Url extends `${string}:${infer Name}`
    ? Name
    : never;

type Infer<Schema> = Schema extends TSchema ? Static<Schema> : Record<string, never>;

type Identity<Auth> = Auth extends 'none'
  ? object
  : Auth extends 'host'
    ? { host: CallingHost }
    : {
        caller: Caller;
        /** For the audit log. It is made when it is read: most requests change nothing that is kept there. */
        readonly actor: Actor;
      };

type Effects<Route extends RouteContract> = Route['isIdempotent'] extends true ? { creation: Creation } : object;

/** What a handler receives: everything validated, nothing raw but the request itself. */
export type RouteInput<Route extends RouteContract> = Identity<Route['auth']> &
  Effects<Route> & {
    params: Record<ParamNames<Route['url']>, string>;
    query: Infer<Route['query']>;
    body: Route['isRawBody'] extends true ? Buffer : Infer<Route['body']>;
    request: FastifyRequest;
    reply: FastifyReply;
  };

export interface RouteOptions<Route extends RouteContract> {
  /** Counts its requests instead of the limits that all routes share. */
  requests?: Limiter;
  handle: (input: RouteInput<Route>) => Promise<Static<Route['response']>>;
  /**
   * Throws 404 when the addressed object is missing. Called only when the input is invalid, because 404 takes
   * precedence over 422; with valid input the handler's own statement finds out, which saves a round trip.
   */
  assertFound?: (input: Omit<RouteInput<Route>, 'creation'>) => Promise<unknown>;
}

/** What the registration needs; one object for the whole app. */
export interface RouteContext {
  app: FastifyInstance;
  services: Services;
  limits: RateLimits;
  /** Counts the calls of hosts that are in progress, except those that transfer files. */
  countHostCall: HostCallLimiter;
  /** Of the script at `/install/host.sh`; undefined where it is not built. */
  installerSha256: string | undefined;
}

const INTEGER_ID = /^\d{1,15}$/;
const numbered = new Set(['token_id', 'session_id', 'region_id']);
/** Whoever handles these looks at what they are. */
const named = new Set(['view_name']);

/** A malformed id matches nothing: the same 404 as for an unknown one. */
const assertWellFormed = (params: Record<string, string>): void => {
  for (const [name, value] of Object.entries(params)) {
    const isWellFormed = named.has(name) || (numbered.has(name) ? INTEGER_ID.test(value) : isUuid(value));
    if (!isWellFormed) throw AppError.notFound(pathResources[name as PathParameter]);
  }
};

/**
 * Authenticates before the body is read, and once more if that took long: a request must not be carried out if its
 * token was revoked, or its account suspended, while it was still being received.
 */
const createIdentityHooks = (
  { services, limits, countHostCall }: RouteContext,
  route: RouteContract,
  countRequest = limits.perToken,
) => {
  if (route.auth === 'none') return undefined;
  const authenticate = route.auth === 'host' ? authenticateHost : authenticateUser;
  const arriving = new WeakSet<FastifyRequest>();
  const identify = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    try {
      await authenticate(services, request, reply);
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthenticated') await limits.refusedToken(request, reply);
      throw error;
    }
  };
  return {
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      await identify(request, reply);
      if (!request.raw.complete) arriving.add(request);
      if (route.auth === 'host') return countHostCall(request, reply, route);
      await countRequest(request, reply);
      const caller = getCaller(request);
      assertAllowed(caller, route);
      if (caller.sessionToken !== null) assertOwnChange(request, services.config, caller.sessionToken);
    },
    preHandler: (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
      if (!arriving.has(request)) return done();
      identify(request, reply)
        .then(() => {
          if (route.auth !== 'host') assertAllowed(getCaller(request), route);
        })
        .then(() => done(), done);
    },
  };
};

/** A missing body counts as `{}`; the JSON text `null` is a body, and no object. */
const toObject = (body: unknown): Record<string, unknown> => {
  if (body === undefined) return {};
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new AppError('body_not_object');
  return body as Record<string, unknown>;
};

/**
 * Who calls, by the route's kind of authentication. One literal for all routes: spreading objects of different shapes
 * takes 4 µs.
 */
const toIdentity = ({ auth }: RouteContract, request: FastifyRequest) => ({
  host: auth === 'host' ? getCallingHost(request) : undefined,
  caller: auth === 'user' || auth === 'operator' ? getCaller(request) : undefined,
});

/** Rules are written for what fits the schemas. They may stumble over what does not, and has its errors already. */
const applyRules = (
  rules: NonNullable<RouteContract['rules']>,
  input: Parameters<NonNullable<RouteContract['rules']>>[0],
  { now, isSound }: { now: Date; isSound: boolean },
): FieldError[] => {
  try {
    return rules(input, now);
  } catch (error) {
    if (isSound) throw error;
    return [];
  }
};

const compileChecks = (route: RouteContract) => {
  const checkQuery = route.query ? compileQuery(route.query) : undefined;
  const compile = route.isStrict ? compileStrictBody : compileBody;
  // A body that is not read has no known fields.
  const checkBody = route.body || route.isStrict ? compile(route.body ?? Type.Object({}), route.input) : undefined;
  return (request: FastifyRequest, now: Date) => {
    const content = route.isRawBody ? {} : toObject(request.body);
    const query = checkQuery?.(request.query as Record<string, unknown>) ?? { value: {}, errors: [] };
    const body = checkBody?.(content) ?? { value: {}, errors: [] };
    const errors: FieldError[] = [...query.errors, ...body.errors];
    if (route.rules) {
      // A rule may concern a field that already failed its schema: that field keeps its first error.
      const broken = new Set(errors.map(({ field }) => field));
      const ruled = applyRules(
        route.rules,
        { query: query.value, body: body.value },
        { now, isSound: errors.length === 0 },
      );
      errors.push(...ruled.filter(({ field }) => !broken.has(field)));
    }
    return { query: query.value, body: body.value, errors };
  };
};

/** Calls the handler: once per key of the user for an idempotent route, in turn for a route that transfers files. */
const createPerformer = <Route extends RouteContract>(
  services: Pick<CoreServices & RouteServices, 'db' | 'vault' | 'uploads'>,
  route: Route,
  handle: RouteOptions<Route>['handle'],
) => {
  const perform = async (input: RouteInput<Route>): Promise<unknown> => {
    if (!route.isIdempotent) return handle(input);
    const { request, reply, params, query, body } = input;
    const key = findIdempotencyKey(request);
    const identified = { userId: getCaller(request).user.id, key, request: { route, params, query, body } };
    const { answer, isReplayed } = await createOnce(services, identified, (creation) =>
      handle(Object.assign(input, { creation })),
    );
    if (isReplayed) reply.header('idempotency-replayed', 'true');
    return answer;
  };
  return route.isRawBody
    ? (input: RouteInput<Route>) => services.uploads.run(toOwner(input.request), () => perform(input))
    : perform;
};

/** Registers one route of the contract. */
export const registerRoute = <const Route extends RouteContract>(
  context: RouteContext,
  route: Route,
  { handle, assertFound, requests }: RouteOptions<Route>,
): void => {
  const check = compileChecks(route);
  const identityHooks = createIdentityHooks(context, route, requests);
  const perform = createPerformer(context.services, route, handle);
  const add = createAdditions(route);
  const limit = route.limit && context.limits.ofRoute[route.limit];
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const params = request.params as Record<string, string>;
    await limit?.(request, reply);
    if (request.caller) assertConfirmed(request.caller, route, request);
    assertWellFormed(params);
    const { query, body, errors } = check(request, new Date(context.services.clock.now()));
    const { host, caller } = toIdentity(route, request);
    const content = route.isRawBody ? (request.body ?? Buffer.alloc(0)) : body;
    const input = {
      host,
      caller,
      params,
      query,
      body: content,
      request,
      reply,
      get actor() {
        return toAuditActor(request, route.auth);
      },
    } as unknown as RouteInput<Route>;
    try {
      if (errors.length > 0) throw new ValidationError(errors);
      return add(request, reply, await perform(input));
    } catch (error) {
      // 404 takes precedence over 422: invalid input is only reported for an object that exists.
      if (error instanceof ValidationError) await assertFound?.(input);
      throw error;
    }
  };
  const { method, url, summary, tag, query, body, response } = route;
  const schema = {
    summary,
    tags: [tag],
    response: { 200: response },
    ...(query ? { querystring: query } : {}),
    ...(body ? { body } : {}),
  };
  const bodyLimit = toMaxBodyBytes(route);
  const options: FastifyRouteOptions = { method, url, schema, handler, bodyLimit, config: { contract: route } };
  Object.assign(options, identityHooks);
  if (route.isRawBody) registerRawBodyRoute(context.app, options);
  else context.app.route(options);
};

/** The rest of the app accepts only JSON. */
const registerRawBodyRoute = (app: FastifyInstance, options: FastifyRouteOptions): void => {
  void app.register(async (scope) => {
    acceptAnyBytes(scope);
    scope.route(options);
  });
};
