import { TaskStatus, TaskType, terminalRoutes } from '@berth/contract';
import { AppError } from '../../../../../errors.ts';
import { toRefusalText } from '../../../../../lifecycle/create-tasks.ts';
import { takePicture } from '../../../../../lifecycle/take-picture.ts';
import { hasTerminal } from '../../../../../terminals/queries.ts';
import { toEnvelope, toRefusal } from '../../../../http/envelope.ts';
import { hasFreshTag } from '../../../../http/send-file.ts';
import { registerRoute, type RouteContext } from '../../../../http/route.ts';

/** The picture of an address that names it is never another one; whoever is signed in later does not get it. */
const NAMED = { 'cache-control': 'private, max-age=86400, immutable', vary: 'Cookie, Authorization' };
const LAST = { 'cache-control': 'private, no-cache' };

export const registerPictureRoutes = (context: RouteContext): void => {
  const { services, limits } = context;
  registerRoute(context, terminalRoutes.getPicture, {
    requests: limits.pictures,
    handle: async ({ params: { terminal_id: terminalId }, query, caller: { user }, request, reply }) => {
      const found = await services.thumbnails.find(user.id, terminalId);
      const etag = `"${found?.fileId}"`;
      const isFresh = found !== undefined && hasFreshTag(request, etag);
      const content = isFresh ? Buffer.alloc(0) : await found?.read();
      if (!content) {
        const isThere = await hasTerminal(services.db, user.id, terminalId);
        throw AppError.notFound(isThere ? 'Picture' : 'Terminal');
      }
      const caching = query.of !== undefined && query.of === found?.fileId ? NAMED : LAST;
      reply.headers({ etag, ...caching, 'x-content-type-options': 'nosniff' });
      if (isFresh) reply.code(304);
      else reply.type('image/png');
      return content;
    },
  });
  registerRoute(context, terminalRoutes.takePicture, {
    limit: limits.taskCreation,
    handle: async ({ params, caller, creation }) => {
      const order = { userId: caller.user.id, terminalId: params.terminal_id };
      const task = await takePicture(services.inbox, order, creation);
      if (!task || task.terminal_status === null) throw AppError.notFound('Terminal');
      const { SCREENSHOT: type } = TaskType;
      if (task.created_at === null) return toRefusal(toRefusalText(task.terminal_status, type));
      const { id, created_at } = task;
      return toEnvelope('The picture is being taken.', { id, type, status: TaskStatus.PENDING, created_at });
    },
  });
};
