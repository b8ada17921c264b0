import { regionRoutes, type OperatorRegion } from '@berth/contract';
import { recordAudit } from '../../../audit/record.ts';
import { AppError, ValidationError } from '../../../errors.ts';
import { listManagedRegions, writeRegion } from '../../../regions/managed-regions.ts';
import { hasFlag } from '../../flags.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { registerRoute, type RouteContext, type RouteInput } from '../../http/route.ts';

type Input = RouteInput<typeof regionRoutes.createRegion> | RouteInput<typeof regionRoutes.updateRegion>;

/** @throws ValidationError on a country without a flag */
const toFlag = (flag: string | undefined): string | undefined => {
  const country = flag?.toLowerCase();
  if (country === undefined || hasFlag(country)) return country;
  const hint = 'Use the two letters of a country, such as gb for the United Kingdom.';
  throw ValidationError.of('flag', 'The selected flag is invalid.', hint);
};

export const registerOperatorRegionRoutes = (context: RouteContext): void => {
  const { config, db, regions } = context.services;
  const list = () => listManagedRegions(db, config.defaultRegion);

  const write = async ({ body, caller, actor }: Input, id: number | undefined): Promise<OperatorRegion> => {
    const flag = toFlag(body.flag);
    const written = await db.transactionFor(caller.user.id, async (tx) => {
      const change = await writeRegion(tx, id, { ...body, flag });
      if (!change) throw AppError.notFound('Region');
      const { before, after } = change;
      const action = before ? 'region.update' : 'region.create';
      const target = { type: 'region', id: String(after.id) };
      await recordAudit(tx, actor, { action, target, userId: null, before, after });
      return after;
    });
    regions.forget();
    const shown = (await list()).find((region) => region.id === written.id);
    if (!shown) throw AppError.notFound('Region');
    return shown;
  };

  registerRoute(context, regionRoutes.listOperatorRegions, {
    handle: async () => toEnvelope('Regions retrieved successfully.', await list()),
  });
  registerRoute(context, regionRoutes.createRegion, {
    handle: async (input) => toEnvelope('Region created successfully.', await write(input, undefined)),
  });
  registerRoute(context, regionRoutes.updateRegion, {
    assertFound: async ({ params }) => {
      if (!(await list()).some(({ id }) => String(id) === params.region_id)) throw AppError.notFound('Region');
    },
    handle: async (input) =>
      toEnvelope('Region updated successfully.', await write(input, Number(input.params.region_id))),
  });
};
