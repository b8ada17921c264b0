import { TaskStatus, TaskType, terminalRoutes } from '@berth/contract';
import { AppError } from '../../../../../errors.ts';
import { takeScreenshot } from '../../../../../tasks/take-screenshot.ts';
import { hasTerminal } from '../../../../../terminals/queries.ts';
import { toEnvelope, toRefusal } from '../../../../http/envelope.ts';
import { hasFreshTag } from '../../../../http/send-file.ts';
import { registerRoute, type RouteContext } from '../../../../http/route.ts';

/** A URL that names a screenshot never shows another one; whoever is signed in later does not get it. */
const NAMED = { 'cache-control': 'private, max-age=86400, immutable', vary: 'Cookie, Authorization' };
const LAST = { 'cache-control': 'private, no-cache' };

export const registerScreenshotRoutes = (context: RouteContext): void => {
  const { services, limits } = context;
  registerRoute(context, terminalRoutes.getScreenshot, {
    requests: limits.thumbnails,
    handle: async ({ params: { terminal_id: terminalId }, query, caller: { user }, request, reply }) => {
      const found = await services.thumbnails.find(user.id, terminalId);
      const etag = `"${found?.fileId}"`;
      const isFresh = found !== undefined && hasFreshTag(request, etag);
      const content = isFresh ? Buffer.alloc(0) : await found?.read();
      if (!content) {
        const isThere = await hasTerminal(services.db, user.id, terminalId);
        throw AppError.notFound(isThere ? 'Screenshot' : 'Terminal');
      }
      const caching = query.of !== undefined && query.of === found?.fileId ? NAMED : LAST;
      reply.headers({ etag, ...caching, 'x-content-type-options': 'nosniff' });
      if (isFresh) reply.code(304);
      else reply.type('image/png');
      return content;
    },
  });
  registerRoute(context, terminalRoutes.takeScreenshot, {
    handle: async ({ params, caller, creation }) => {
      const request = { userId: caller.user.id, terminalId: params.terminal_id };
      const outcome = await takeScreenshot(services, request, creation);
      if (outcome.kind === 'no_terminal') throw AppError.notFound('Terminal');
      if (outcome.kind === 'refused') return toRefusal(outcome.reason);
      const { id, status, createdAt: created_at } = outcome;
      const msg = `The screenshot ${status === TaskStatus.COMPLETED ? 'was taken a moment ago' : 'is being taken'}.`;
      return toEnvelope(msg, { id, type: TaskType.SCREENSHOT, status, created_at });
    },
  });
};
