import { ValidationError } from '../../../errors.ts';
import type { RouteContext } from '../../http/route.ts';

/** Regions are listed, so that a typo does not leave a user without any. */
export const assertRegions = async (
  context: RouteContext,
  regions: readonly number[] | null | undefined,
): Promise<void> => {
  if (!regions) return;
  const known = new Set((await context.services.regions.list()).map(({ id }) => id));
  const unknown = regions.findIndex((id) => !known.has(id));
  if (unknown < 0) return;
  const field = `limits.regions.${unknown}`;
  throw ValidationError.of(field, `The selected ${field} is invalid.`, 'GET /v1/operator/overview lists the regions.');
};
