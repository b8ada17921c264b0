/** Regions, as the API shows them to operators. */
import { Type, type Static } from '../schema.ts';

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
