import {
  drainedTerminals,
  HostDetails,
  HostSamples,
  HostTerminal,
  JoinTokenRecord,
  OperatorOverview,
} from '../resources.ts';
import { Envelope, Line, Nullable, OneOf, pageQuery, AnyBoundedPagination, Timestamp, Type } from '../schema.ts';
import { sampleSteps, type SampleStep } from '../terminals/samples.ts';
import { defineRoute } from './route.ts';
import { toTimeRangeErrors } from './terminals.ts';

const MAX_CAPACITY = 10_000;
/** A week. */
const MAX_DRAIN_MINUTES = 10_080;
const hostName = Line({ minLength: 1, maxLength: 64, description: 'Name of the host' });

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
  getHostSamples: defineRoute({
    ...operator,
    ability: 'read',
    method: 'GET',
    url: '/v1/operator/hosts/:host_id/samples',
    summary: 'Read what a host had in use: processors, memory, disk',
    query: Type.Object({
      from: Type.Optional(Type.String({ isoDateTime: true, description: 'ISO 8601; a day, or 30, before `to`' })),
      to: Type.Optional(Type.String({ isoDateTime: true, description: 'ISO 8601; now' })),
      step: Type.Optional(
        Type.Unsafe<SampleStep>({
          type: 'integer',
          enum: [...sampleSteps],
          description: 'Minutes of one row: 1 for the last 24 hours, 15 for the last 30 days',
        }),
      ),
    }),
    rules: toTimeRangeErrors,
    response: Envelope(HostSamples),
  }),
  updateHost: defineRoute({
    ...operator,
    ability: 'write',
    method: 'PATCH',
    audit: 'host.update',
    url: '/v1/operator/hosts/:host_id',
    summary: 'Rename a host, limit its slots, or cordon it',
    input: 'patch',
    isStrict: true,
    errors: ['host_draining'],
    body: Type.Object({
      name: Type.Optional(hostName),
      capacity: Type.Optional(
        Nullable<number>('integer', {
          minimum: 1,
          maximum: MAX_CAPACITY,
          description: 'Terminals that it takes, and no more than fit into its memory; null: as many as fit',
        }),
      ),
      cordoned: Type.Optional(
        Type.Boolean({ description: 'No new terminals are placed on it; those that it has go on' }),
      ),
    }),
    response: Envelope(HostDetails),
  }),
  drainHost: defineRoute({
    ...operator,
    ability: 'write',
    method: 'POST',
    audit: 'host.drain',
    url: '/v1/operator/hosts/:host_id/drain',
    summary: 'Cordon a host and stop its terminals, or change the drain that goes on',
    isStrict: true,
    body: Type.Object({
      terminals: OneOf(drainedTerminals, { description: '`stop`: they are stopped, `stay`: they go on' }),
      deadline_minutes: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_DRAIN_MINUTES, description: 'From now on; nothing is forced then' }),
      ),
    }),
    response: Envelope(HostDetails),
  }),
  endDrain: defineRoute({
    ...operator,
    ability: 'delete',
    method: 'DELETE',
    audit: 'host.end_drain',
    url: '/v1/operator/hosts/:host_id/drain',
    summary: 'End a drain; what was stopped stays stopped until its owner starts it',
    query: Type.Object({
      uncordon: Type.Optional(Type.Boolean({ description: 'true: the host takes new terminals again' })),
    }),
    response: Envelope(HostDetails),
  }),
  listJoinTokens: defineRoute({
    ...operator,
    ability: 'read',
    method: 'GET',
    url: '/v1/operator/join-tokens',
    summary: 'List join tokens of the last 30 days, newest first, without their secrets',
    query: Type.Object(pageQuery()),
    response: Type.Object({
      ok: Type.Literal(true),
      msg: Type.String(),
      data: Type.Array(JoinTokenRecord),
      pagination: AnyBoundedPagination,
    }),
  }),
  revokeJoinToken: defineRoute({
    ...operator,
    ability: 'delete',
    method: 'DELETE',
    audit: 'join_token.revoke',
    url: '/v1/operator/join-tokens/:join_token_id',
    summary: 'Revoke a join token that no host has used',
    response: Envelope(Type.Null()),
  }),
  createJoinToken: defineRoute({
    ...operator,
    ability: 'write',
    method: 'POST',
    audit: 'join_token.create',
    url: '/v1/operator/join-tokens',
    needsConfirmation: true,
    summary: 'Create a one-time token (1 hour) with which an agent enrols its host',
    isStrict: true,
    body: Type.Object({
      region: Type.Integer(),
      name: hostName,
      capacity: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_CAPACITY, default: 20 })),
    }),
    response: Envelope(Type.Object({ join_token: Type.String(), expires_at: Timestamp() })),
  }),
  retireHost: defineRoute({
    ...operator,
    ability: 'delete',
    method: 'DELETE',
    audit: 'host.retire',
    url: '/v1/operator/hosts/:host_id',
    needsConfirmation: true,
    summary: 'Declare a host dead: its credential is revoked, its terminals are installed elsewhere',
    response: Envelope(Type.String()),
  }),
};
