import { hostRoutes, type HostDetails, type HostTerminal } from '@berth/contract';
import { AppError } from '../../../errors.ts';
import { countHosts, findTerminalCount, listHosts, listHostTerminals } from '../../../hosts/queries.ts';
import { retireHost } from '../../../deployment/retire-host.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { newestFirst, readPageInput } from '../../http/cursor.ts';
import { toBoundedPagination } from '../../http/pagination.ts';
import { toPublicUrl } from '../../http/public-url.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

export const registerHostRoutes = (context: RouteContext): void => {
  const { services } = context;

  registerRoute(context, hostRoutes.listHosts, {
    handle: async (input) => {
      const { query, request, caller } = input;
      const own = services.db.slowFor(caller.user.id);
      const page = readPageInput<HostDetails>(hostRoutes.listHosts, input, newestFirst);
      const withDetails = query.include === 'details';
      const [data, total] = await Promise.all([listHosts(own, page, { withDetails }), countHosts(own)]);
      const pagination = toBoundedPagination(page, total, data, toPublicUrl(request, services.config));
      return { ...toEnvelope('Hosts retrieved successfully.', data), pagination };
    },
  });

  registerRoute(context, hostRoutes.listHostTerminals, {
    assertFound: async ({ params, caller }) => {
      const isThere = (await findTerminalCount(services.db.slowFor(caller.user.id), params.host_id)) !== undefined;
      if (!isThere) throw AppError.notFound('Host');
    },
    handle: async (input) => {
      const { params, request, caller } = input;
      const { id: userId } = caller.user;
      const own = services.db.slowFor(userId);
      const page = readPageInput<HostTerminal>(hostRoutes.listHostTerminals, input, { id: 'uuid' });
      const ids = { hostId: params.host_id, userId };
      const [data, total] = await Promise.all([
        listHostTerminals(own, ids, page),
        findTerminalCount(own, params.host_id),
      ]);
      if (total === undefined) throw AppError.notFound('Host');
      const pagination = toBoundedPagination(page, total, data, toPublicUrl(request, services.config));
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
