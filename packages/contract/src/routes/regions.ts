import { OperatorRegion } from '../regions/resources.ts';
import { Envelope, Line, Type } from '../schema.ts';
import { defineRoute } from './route.ts';

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
