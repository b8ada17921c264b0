import { ValidationError } from '../errors.ts';
import type { Regions } from '../regions/regions.ts';

/** Regions are listed, so that a typo does not leave a user without any. */
export const assertRegions = async (
  regions: Pick<Regions, 'list'>,
  given: readonly number[] | null | undefined,
): Promise<void> => {
  if (!given) return;
  const known = new Set((await regions.list()).map(({ id }) => id));
  const unknown = given.findIndex((id) => !known.has(id));
  if (unknown < 0) return;
  const field = `limits.regions.${unknown}`;
  throw ValidationError.of(field, `The selected ${field} is invalid.`, 'GET /v1/operator/overview lists the regions.');
};
