/**
 * What a host reports about its machine. The report is untrusted: each text and list is bounded, and it affects that
 * host alone.
 */
import { Line, Nullable, OneOf, Type, type Static } from '../schema.ts';
import { platforms } from '../terminals/values.ts';

/** 64 TiB. */
const MAX_MEGABYTES = 67_108_864;
const MAX_BASES = 50;

const Megabytes = (description: string) => Type.Integer({ minimum: 0, maximum: MAX_MEGABYTES, description });

/** An installation that new terminals are copied from. */
export const HostBase = Type.Object({
  name: Line({ minLength: 1, maxLength: 64 }),
  build: Nullable<number>('integer', { minimum: 0, maximum: 1_000_000_000 }),
  current: Type.Boolean({ description: 'New terminals are copied from it' }),
});
export type HostBase = Static<typeof HostBase>;

/** A platform that the host offers, and how it runs there. */
export const HostOffer = Type.Object({
  platform: OneOf(platforms),
  launcher: Line({ minLength: 1, maxLength: 32, description: 'How terminals run: `process` or `wine`' }),
  isolation: Line({
    minLength: 1,
    maxLength: 64,
    description: 'What keeps terminals from each other and from the host; `none` where nothing does',
  }),
  bases: Type.Array(HostBase, { maxItems: MAX_BASES }),
});
export type HostOffer = Static<typeof HostOffer>;

export const HostFacts = Type.Object({
  memory_total_mb: Megabytes('Memory of the machine, or the part of it that the agent may use'),
  memory_available_mb: Megabytes('What of it was free when the host said so'),
  memory_capacity: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: 'How many terminals fit into the memory',
  }),
  disk_total_mb: Type.Optional(Megabytes('The disk that its terminals lie on')),
  disk_available_mb: Type.Optional(Megabytes('What of it was free when the host said so')),
  load_percent: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Load average of five minutes, of all its processors',
    }),
  ),
  offers: Type.Array(HostOffer, { maxItems: platforms.length }),
});
export type HostFacts = Static<typeof HostFacts>;
