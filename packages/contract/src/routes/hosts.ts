import { HostDetails, HostTerminal, OperatorOverview } from '../resources.ts';
import { Envelope, Line, OneOf, pageQuery, AnyBoundedPagination, Timestamp, Type } from '../schema.ts';
import { defineRoute } from './route.ts';

const operator = { tag: 'Hosts (operator)', auth: 'operator' } as const;

export const hostRoutes = {
  getOperatorOverview: defineRoute({
    ...operator,
    ability: 'read',
    method: 'GET',
    url: '/v1/operator/overview',
    summary: 'Show how many slots each region has, who holds them, and who waits for one',
    response: Envelope(OperatorOverview),
  }),
  listHosts: defineRoute({
    ...operator,
    ability: 'read',
    method: 'GET',
    url: '/v1/operator/hosts',
    summary: 'List the hosts',
    query: Type.Object({
      ...pageQuery(),
      include: Type.Optional(
        OneOf(['details'], { description: 'Adds `places`, what the hosts say of their memory, and what they offer' }),
      ),
    }),
    response: Type.Object({
      ok: Type.Literal(true),
      msg: Type.String(),
      data: Type.Array(HostDetails),
      pagination: AnyBoundedPagination,
    }),
  }),
  listHostTerminals: defineRoute({
    ...operator,
    ability: 'read',
    method: 'GET',
    url: '/v1/operator/hosts/:host_id/terminals',
    summary: 'List the terminals of a host, the oldest first',
    query: Type.Object(pageQuery()),
    response: Type.Object({
      ok: Type.Literal(true),
      msg: Type.String(),
      data: Type.Array(HostTerminal),
      pagination: AnyBoundedPagination,
    }),
  }),
  createJoinToken: defineRoute({
    ...operator,
    ability: 'write',
    method: 'POST',
    url: '/v1/operator/join-tokens',
    summary: 'Create a one-time token (1 hour) with which an agent enrols its host',
    isStrict: true,
    body: Type.Object({
      region: Type.Integer(),
      name: Line({ minLength: 1, maxLength: 64, description: 'Name of the host' }),
      capacity: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 20 })),
    }),
    response: Envelope(Type.Object({ join_token: Type.String(), expires_at: Timestamp() })),
  }),
  retireHost: defineRoute({
    ...operator,
    ability: 'delete',
    method: 'DELETE',
    url: '/v1/operator/hosts/:host_id',
    summary: 'Declare a host dead: its credential is revoked, its terminals are installed elsewhere',
    response: Envelope(Type.String()),
  }),
};
