import { hostRoutes, ResultStatus, TaskType, TerminalStatus, toServiceResult } from '@berth/contract';
import type { Queryable } from '../../../db/database.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { AppError, ValidationError } from '../../../errors.ts';
import { toOffset, toPagination } from '../../http/pagination.ts';
import { toPublicUrl } from '../../http/public-url.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';
import type { Services } from '../../../services.ts';
import { listRegionCapacity } from '../../../lifecycle/placement.ts';
import { assignWaitingTerminals, countWaitingOf } from '../../../lifecycle/waiting.ts';
import { issueJoinToken } from '../../../hosts/join-tokens.ts';
import { countHosts, listHosts } from '../../../hosts/queries.ts';
import { retireHost, type DetachedTerminal } from '../../../lifecycle/retire-host.ts';

const DEFAULT_CAPACITY = 20;
/** Placed right away when a host was retired; the scheduler goes on with the others. */
const MAX_ASSIGNED = 500;

/** Every terminal of the retired host is installed again; those being destroyed are swept up by the scheduler. */
const reinstall = async ({ inbox }: Services, tx: Queryable, terminals: readonly DetachedTerminal[]): Promise<void> => {
  for (const { id, user_id: userId, status, is_install_queued: isQueued } of terminals) {
    if (status !== TerminalStatus.PENDING || isQueued) continue;
    const order = { userId, terminalId: id, type: TaskType.TERMINAL_INSTALL, payload: {}, actor: 'service' } as const;
    await inbox.addWithin(tx, order);
  }
};

export const registerHostRoutes = (context: RouteContext): void => {
  const { services } = context;

  registerRoute(context, hostRoutes.listHosts, {
    handle: async ({ query, request, caller }) => {
      const own = services.db.slowFor(caller.user.id);
      const page = { page: query.page ?? 1, per_page: query.per_page ?? 10 };
      const [data, total] = await Promise.all([listHosts(own, page.per_page, toOffset(page)), countHosts(own)]);
      const pagination = toPagination(page, total, data.length, toPublicUrl(request, services.config));
      return { ...toEnvelope('Hosts retrieved successfully.', data), pagination };
    },
  });

  registerRoute(context, hostRoutes.createJoinToken, {
    handle: async ({ body }) => {
      const regions = await listRegionCapacity(services.db);
      if (!regions.some(({ region }) => region === body.region)) {
        throw ValidationError.of('region', 'The selected region is invalid.');
      }
      const host = { region: body.region, name: body.name, capacity: body.capacity ?? DEFAULT_CAPACITY };
      const { joinToken, expiresAt } = await issueJoinToken(services.db, host);
      return toEnvelope('Start the agent with this token. It works once.', {
        join_token: joinToken,
        expires_at: expiresAt,
      });
    },
  });

  registerRoute(context, hostRoutes.retireHost, {
    handle: async ({ params }) => {
      const now = new Date(services.clock.now());
      const result = toServiceResult(
        ResultStatus.UNKNOWN,
        'retire',
        'E_HOST_LOST',
        'The operator retired the host.',
        now,
      );
      let detached: string[] = [];
      const isRetired = await retireHost(services.db, params.host_id, result, (tx, terminals) => {
        detached = terminals.map(({ id }) => id);
        return reinstall(services, tx, terminals);
      });
      if (!isRetired) throw AppError.notFound('Host');
      services.wakeups.wake(await services.db.transaction((tx) => assignWaitingTerminals(tx, MAX_ASSIGNED)));
      const waiting = await countWaitingOf(services.db.slow, detached);
      const text =
        waiting === 0
          ? 'The host was retired; its terminals move to other hosts.'
          : `The host was retired; ${waiting} of its terminals wait for a host with free capacity in the region.`;
      return toEnvelope(text, params.host_id);
    },
  });
};
