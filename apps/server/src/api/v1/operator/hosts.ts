import { hostRoutes, hostSampleColumns, type HostDetails, type HostTerminal } from '@berth/contract';
import { AppError } from '../../../errors.ts';
import * as hosts from '../../../hosts/managed-hosts.ts';
import { findTerminalCount, listHostTerminals } from '../../../hosts/queries.ts';
import { retireHost } from '../../../deployment/retire-host.ts';
import { drainHost, endHostDrain, getHost, updateHost } from '../../../operation/host-changes.ts';
import { readHostSamples } from '../../../samples/hosts.ts';
import { toWindow } from '../../../samples/reading.ts';
import { toActingOperator, type Caller } from '../../http/caller.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { newestFirst, readPageInput } from '../../http/cursor.ts';
import { toBoundedPagination } from '../../http/pagination.ts';
import { toPublicUrl } from '../../http/public-url.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

const registerChanges = (context: RouteContext): void => {
  const { services } = context;
  const { db } = services;
  const assertFound = async ({ params, caller }: { params: { host_id: string }; caller: Caller }) => {
    await getHost(db.slowFor(caller.user.id), params.host_id);
  };

  registerRoute(context, hostRoutes.updateHost, {
    assertFound,
    handle: async (input) => {
      const { params, body, caller } = input;
      const host = await db.transactionFor(caller.user.id, (tx) =>
        updateHost(tx, toActingOperator(input), params.host_id, body),
      );
      return toEnvelope('Host updated successfully.', host);
    },
  });

  registerRoute(context, hostRoutes.drainHost, {
    assertFound,
    handle: async (input) => {
      const { terminals, deadline_minutes: deadlineMinutes } = input.body;
      const drain = { id: input.params.host_id, terminals, deadlineMinutes };
      const host = await db.transactionFor(input.caller.user.id, (tx) =>
        drainHost(tx, services, toActingOperator(input), drain),
      );
      return toEnvelope('The host is being drained.', host);
    },
  });

  registerRoute(context, hostRoutes.endDrain, {
    assertFound,
    handle: async (input) => {
      const end = { id: input.params.host_id, uncordon: input.query.uncordon ?? false };
      const host = await db.transactionFor(input.caller.user.id, (tx) =>
        endHostDrain(tx, services, toActingOperator(input), end),
      );
      return toEnvelope('The drain of the host was ended.', host);
    },
  });
};

export const registerHostRoutes = (context: RouteContext): void => {
  const { services } = context;
  registerChanges(context);

  registerRoute(context, hostRoutes.getHostSamples, {
    handle: async ({ params: { host_id: hostId }, query, caller }) => {
      const db = services.db.slowFor(caller.user.id);
      await getHost(db, hostId);
      const window = toWindow(query, services.clock.now());
      const rows = await readHostSamples(db, { hostId, ...window });
      const data = { step: window.step, columns: [...hostSampleColumns], rows };
      return toEnvelope('Samples retrieved successfully.', data);
    },
  });

  registerRoute(context, hostRoutes.listHosts, {
    handle: async (input) => {
      const { query, request, caller } = input;
      const own = services.db.slowFor(caller.user.id);
      const page = readPageInput<HostDetails>(hostRoutes.listHosts, input, newestFirst);
      const withDetails = query.include === 'details';
      const [data, total] = await Promise.all([hosts.listHosts(own, page, { withDetails }), hosts.countHosts(own)]);
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
    handle: async ({ params, actor }) => {
      const retired = await retireHost(services, params.host_id, actor);
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
