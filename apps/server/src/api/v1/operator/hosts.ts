import { hostRoutes, hostSampleColumns, type AuditAction, type HostDetails, type HostTerminal } from '@berth/contract';
import { recordAudit, type Actor } from '../../../audit/record.ts';
import type { Queryable, Transaction } from '../../../db/database.ts';
import { AppError, ValidationError } from '../../../errors.ts';
import * as hosts from '../../../hosts/managed-hosts.ts';
import { findTerminalCount, listHostTerminals } from '../../../hosts/queries.ts';
import { beginDrain, endDrain, lockDrains } from '../../../deployment/drain.ts';
import { retireHost } from '../../../deployment/retire-host.ts';
import { readHostSamples } from '../../../samples/hosts.ts';
import { toWindow } from '../../../samples/window.ts';
import type { Caller } from '../../http/caller.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { newestFirst, readPageInput } from '../../http/cursor.ts';
import { toBoundedPagination } from '../../http/pagination.ts';
import { toPublicUrl } from '../../http/public-url.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

const getHost = async (db: Queryable, id: string): Promise<HostDetails> => {
  const host = await hosts.findManagedHost(db, id);
  if (!host) throw AppError.notFound('Host');
  return host;
};

const holdHost = async (tx: Queryable, id: string) => {
  const held = await hosts.lockManagedHost(tx, id);
  if (!held) throw AppError.notFound('Host');
  return held;
};

/** What operators set of a host. */
const toAudited = ({ name, capacity, cordoned, drain }: HostDetails) => ({
  ...{ name, capacity, cordoned },
  drain: drain ? { terminals: drain.terminals, deadline_at: drain.deadline_at } : null,
});

/** Changes a host that is not retired, and keeps who did it. @returns the host afterwards */
const changeHost = async (
  { db }: Pick<RouteContext['services'], 'db'>,
  { actor, params, caller }: { actor: Actor; params: { host_id: string }; caller: Caller },
  action: AuditAction,
  change: (tx: Transaction, held: Awaited<ReturnType<typeof holdHost>>) => Promise<void>,
): Promise<HostDetails> =>
  db.transactionFor(caller.user.id, async (tx) => {
    const { host_id: id } = params;
    if (action !== 'host.update') await lockDrains(tx);
    const held = await holdHost(tx, id);
    const before = await getHost(tx, id);
    await change(tx, held);
    const after = await getHost(tx, id);
    const target = { type: 'host', id };
    await recordAudit(tx, actor, { action, target, userId: null, before: toAudited(before), after: toAudited(after) });
    return after;
  });

const registerChanges = (context: RouteContext): void => {
  const { services } = context;
  const assertFound = async ({ params, caller }: { params: { host_id: string }; caller: Caller }) => {
    await getHost(services.db.slowFor(caller.user.id), params.host_id);
  };

  registerRoute(context, hostRoutes.updateHost, {
    assertFound,
    handle: async (input) => {
      const { params, body } = input;
      const host = await changeHost(services, input, 'host.update', async (tx, held) => {
        if (body.cordoned === false && held.is_draining) throw new AppError('host_draining');
        if (body.capacity === null && held.memory_capacity === null) {
          const text = 'The capacity field is required: the host does not say how many terminals fit into its memory.';
          throw ValidationError.of('capacity', text);
        }
        await hosts.writeHost(tx, params.host_id, body);
      });
      return toEnvelope('Host updated successfully.', host);
    },
  });

  registerRoute(context, hostRoutes.drainHost, {
    assertFound,
    handle: async (input) => {
      const { terminals, deadline_minutes: deadlineMinutes } = input.body;
      const host = await changeHost(services, input, 'host.drain', (tx) =>
        beginDrain(tx, services, input.params.host_id, { terminals, deadlineMinutes }),
      );
      return toEnvelope('The host is being drained.', host);
    },
  });

  registerRoute(context, hostRoutes.endDrain, {
    assertFound,
    handle: async (input) => {
      const uncordon = input.query.uncordon ?? false;
      const host = await changeHost(services, input, 'host.end_drain', (tx) =>
        endDrain(tx, services, input.params.host_id, { uncordon }),
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
