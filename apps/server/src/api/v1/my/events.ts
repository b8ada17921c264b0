import { DEFAULT_PER_PAGE, eventRoutes, FIRST_CURSOR, KEEP_EVENTS_DAYS, parseIsoDateTime } from '@berth/contract';
import { AppError, ValidationError } from '../../../errors.ts';
import { listEvents, toEventTypes } from '../../../events/log.ts';
import { toFilterId } from '../../../validation/uuid.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { onAnswerEnd } from '../../http/answer-end.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';
import { EventStream } from './event-stream.ts';

const RETRY_AFTER_S = 5;
/** New events wait for transactions in progress; where one of them hangs, the page is answered without them. */
const MAX_WAIT_MS = 1_000;

const toAfter = (after: string): number => {
  if (after === FIRST_CURSOR) return 0;
  if (/^\d{1,15}$/.test(after)) return Number(after);
  throw ValidationError.of('after', 'The after field must be the id of an event.', `Begin with after=${FIRST_CURSOR}.`);
};

const toTypes = (types: string | undefined): string[] | undefined => {
  if (types === undefined) return undefined;
  const found = toEventTypes(types.split(',').map((type) => type.trim()));
  if (!found)
    throw ValidationError.of('types', 'The selected types is invalid.', 'The reference lists the types of events.');
  return found;
};

export const registerEventRoutes = (context: RouteContext): void => {
  const { db, events, draining } = context.services;
  registerRoute(context, eventRoutes.listEvents, {
    handle: async ({ caller, query, request }) => {
      // An empty value does not mean all.
      for (const name of ['after', 'types', 'order', 'from', 'to'] as const) {
        const isEmpty = query[name] === undefined && name in (request.query as object);
        if (isEmpty) throw ValidationError.of(name, `The ${name} field must not be empty.`);
      }
      const { after: asked = FIRST_CURSOR, per_page: limit = DEFAULT_PER_PAGE, order, from = '', to = '' } = query;
      const isNewestFirst = order === 'newest';
      const after = toAfter(asked);
      const filter = {
        types: toTypes(query.types),
        terminalId: toFilterId(query.terminal_id),
        projectId: toFilterId(query.project_id),
        from: parseIsoDateTime(from),
        to: parseIsoDateTime(to),
      };
      const { horizon, isCurrent } = await events.horizon.advanceWithin(MAX_WAIT_MS);
      // An id from before the database was restored: waiting for what follows it would miss everything until the ids
      // catch up.
      if (isCurrent && after > horizon)
        throw ValidationError.of('after', 'There is no such event.', `Begin with after=${FIRST_CURSOR}.`);
      const userId = caller.user.id;
      const isFiltered = Object.values(filter).some((value) => value !== undefined);
      // A filter reads many rows.
      const own = isFiltered ? db.slowFor(userId) : db.listsFor(userId);
      const place = isNewestFirst
        ? { after: 0, horizon: after === 0 ? horizon : Math.min(horizon, after - 1) }
        : { after, horizon };
      const page = await listEvents(own, userId, { ...filter, ...place, limit, isNewestFirst });
      if (page.isForgotten && asked !== FIRST_CURSOR) {
        const hint = `Events are kept for ${KEEP_EVENTS_DAYS} days. Begin with after=${FIRST_CURSOR}.`;
        throw ValidationError.of('after', 'Events that followed this one are gone.', hint);
      }
      const pagination = { per_page: limit, next_cursor: page.next === null ? null : String(page.next) };
      return { ...toEnvelope('Events retrieved successfully.', page.events), pagination };
    },
  });
  registerRoute(context, eventRoutes.watchEvents, {
    handle: async ({ caller, request, reply }) => {
      const retry = { retryAfterSeconds: RETRY_AFTER_S };
      if (draining.signal.aborted) throw new AppError('unavailable', retry);
      if (events.isFull(caller.user.id)) throw new AppError('event_stream_limit', retry);
      reply.type('text/event-stream').header('cache-control', 'no-store').header('x-accel-buffering', 'no');
      // Tells the reader after how much silence the connection counts as lost.
      reply.header('x-heartbeat-ms', events.pingMs);
      // Nothing follows on this connection, so a stop need not wait for it.
      reply.header('connection', 'close');
      if (request.method === 'HEAD') return '';
      const stream = new EventStream(
        { userId: caller.user.id, tokenId: caller.tokenId },
        reply.raw,
        request.headers['last-event-id']?.toString(),
      );
      const added = events.add(stream);
      // After it was added: a caller who has already hung up is removed again immediately.
      onAnswerEnd(reply.raw, () => events.remove(stream));
      await added;
      if (draining.signal.aborted) throw new AppError('unavailable', retry);
      reply.hijack();
      stream.open(reply.getHeaders());
      void events.announceReady(stream);
      return '';
    },
  });
};
