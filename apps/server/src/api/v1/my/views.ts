import { isViewName, MAX_VIEW_NAME_CHARACTERS, MAX_VIEWS, viewRoutes } from '@berth/contract';
import { AppError, ValidationError } from '../../../errors.ts';
import { lockUser } from '../../../terminals/queries.ts';
import { countOtherViews, deleteView, listViews, saveView } from '../../../views/queries.ts';
import { refuse, toEnvelope } from '../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

const NAMES = `A name has up to ${MAX_VIEW_NAME_CHARACTERS} characters, without slashes, and without blanks around it.`;

export const registerViewRoutes = (context: RouteContext): void => {
  const { db } = context.services;

  registerRoute(context, viewRoutes.listViews, {
    handle: async ({ caller }) => toEnvelope('Views retrieved successfully.', await listViews(db, caller.user.id)),
  });

  registerRoute(context, viewRoutes.saveView, {
    handle: async ({ caller, params: { view_name: name }, body: { page, query = '', columns = null }, reply }) => {
      if (!isViewName(name)) throw ValidationError.of('view_name', 'The view name format is invalid.', NAMES);
      const { id: userId } = caller.user;
      const saved = await db.transactionFor(userId, async (tx) => {
        await lockUser(tx, userId);
        if ((await countOtherViews(tx, userId, name)) >= MAX_VIEWS) return undefined;
        return saveView(tx, userId, { name, page, query, columns });
      });
      if (saved) return toEnvelope('View saved successfully.', saved);
      return refuse(
        reply,
        'view_limit',
        `An account has at most ${MAX_VIEWS} views. Delete one that you no longer need.`,
      );
    },
  });

  registerRoute(context, viewRoutes.deleteView, {
    handle: async ({ caller, params: { view_name: name } }) => {
      if (!isViewName(name) || !(await deleteView(db, caller.user.id, name))) throw AppError.notFound('View');
      return toEnvelope('View deleted successfully.', null);
    },
  });
};
