import { Envelope, Line, Type, type Static } from '../schema.ts';
import { defineRoute } from './route.ts';

/** The most that there may be. */
export const MAX_REGIONS = 100;

/** A region, as operators see one. */
export const OperatorRegion = Type.Object({
  id: Type.Integer({ description: 'Never changes' }),
  name: Type.String({ description: '`label` in the list that users see' }),
  flag: Type.String({ description: 'Country whose flag is shown: two letters of ISO 3166-1, lower case' }),
  is_default: Type.Boolean({
    description: 'Terminals that name no region come here; one region at most is the default',
  }),
  accepts_terminals: Type.Boolean({
    description: 'false: no new terminals. Those that are there stay, and those that wait still get a slot',
  }),
});
/** A region, as operators see one. */
export type OperatorRegion = Static<typeof OperatorRegion>;

const operator = { tag: 'Regions (operator)', auth: 'operator' } as const;

const REGIONS = '/v1/operator/regions';
const name = Line({ minLength: 1, maxLength: 64, description: 'Unique, without regard to case' });
const flag = Type.String({ pattern: '^[A-Za-z]{2}$', description: 'Country: two letters of ISO 3166-1, such as `gb`' });
const settings = {
  is_default: Type.Optional(Type.Boolean({ description: 'true takes it from the region that was the default' })),
  accepts_terminals: Type.Optional(Type.Boolean({ description: 'Whether new terminals may be created there' })),
};

export const regionRoutes = {
  listOperatorRegions: defineRoute({
    ...operator,
    ability: 'read',
    method: 'GET',
    url: REGIONS,
    summary: 'List the regions with their settings, by id',
    response: Envelope(Type.Array(OperatorRegion)),
  }),
  createRegion: defineRoute({
    ...operator,
    ability: 'write',
    method: 'POST',
    url: REGIONS,
    audit: 'region.create',
    summary: 'Add a region; every server knows it within 10 s',
    isStrict: true,
    body: Type.Object({
      name,
      /** Country: two letters of ISO 3166-1, such as `gb`. */
      flag,
      ...settings,
    }),
    response: Envelope(OperatorRegion),
  }),
  updateRegion: defineRoute({
    ...operator,
    ability: 'write',
    method: 'PATCH',
    url: `${REGIONS}/:region_id`,
    audit: 'region.update',
    summary: 'Rename a region, make it the default, or close it to new terminals',
    input: 'patch',
    isStrict: true,
    body: Type.Object({ name: Type.Optional(name), flag: Type.Optional(flag), ...settings }),
    response: Envelope(OperatorRegion),
  }),
};
