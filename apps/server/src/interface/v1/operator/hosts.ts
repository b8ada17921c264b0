import { hostRoutes } from '@berth/contract';
import { toOffset } from '../../../db/page.ts';
import { AppError } from '../../../errors.ts';
import { countHosts, findTerminalCount, listHosts, listHostTerminals } from '../../../hosts/queries.ts';
import { retireHost } from '../../../lifecycle/retire-host.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { toPageInput, toPagination } from '../../http/pagination.ts';
import { toPublicUrl } from '../../http/public-url.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

export const registerHostRoutes = (context: RouteContext): void => {
  const { services } = context;

  registerRoute(context, hostRoutes.listHosts, {
    handle: async ({ query, request, caller }) => {
      const own = services.db.slowFor(caller.user.id);
      const page = toPageInput(query);
      const window = { limit: page.per_page, offset: toOffset(page), withDetails: query.include === 'details' };
      const [data, total] = await Promise.all([listHosts(own, window), countHosts(own)]);
      const pagination = toPagination(page, total, data.length, toPublicUrl(request, services.config));
      return { ...toEnvelope('Hosts retrieved successfully.', data), pagination };
    },
  });

  registerRoute(context, hostRoutes.listHostTerminals, {
    handle: async ({ params, query, request, caller }) => {
      const { id: userId } = caller.user;
      const own = services.db.slowFor(userId);
      const page = toPageInput(query);
      const window = { hostId: params.host_id, userId, limit: page.per_page, offset: toOffset(page) };
      const [data, total] = await Promise.all([listHostTerminals(own, window), findTerminalCount(own, params.host_id)]);
      if (total === undefined) throw AppError.notFound('Host');
      const pagination = toPagination(page, total, data.length, toPublicUrl(request, services.config));
      return { ...toEnvelope('Terminals retrieved successfully.', data), pagination };
    },
  });

  registerRoute(context, hostRoutes.retireHost, {
    handle: async ({ params }) => {
      const retired = await retireHost(services, params.host_id);
      if (!retired) throw AppError.notFound('Host');
      const { waitingTerminals } = retired;
      const text =
        waitingTerminals === 0
          ? 'The host was retired; its terminals move to other hosts.'
          : `The host was retired; ${waitingTerminals} of its terminals wait for a host with free capacity in the region.`;
      return toEnvelope(text, params.host_id);
    },
  });
};
