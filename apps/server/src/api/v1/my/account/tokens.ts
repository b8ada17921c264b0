import { accountRoutes, coversAbilities, MAX_TOKENS, parseIsoDateTime, type Token } from '@berth/contract';
import { recordAudit } from '../../../../audit/record.ts';
import { refuse, toEnvelope } from '../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../http/route.ts';
import { AppError, ValidationError } from '../../../../errors.ts';
import { createApiToken } from '../../../../tokens/create-token.ts';
import { countTokens, deleteToken, listTokens } from '../../../../tokens/queries.ts';
import { readPageInput } from '../../../http/cursor.ts';
import { toPagination } from '../../../http/pagination.ts';
import { toPublicUrl } from '../../../http/public-url.ts';

/** Otherwise anyone who gets hold of a token that expires could make one that does not. */
const outlivesCaller = (): ValidationError =>
  ValidationError.of(
    'expires_at',
    'The expires at field must not be later than the end of the token that asks.',
    'Give an earlier time, or ask with a token that does not end.',
  );

export const registerTokenRoutes = (context: RouteContext): void => {
  const { config, db } = context.services;
  registerRoute(context, accountRoutes.listTokens, {
    handle: async (input) => {
      const { caller, request } = input;
      const page = readPageInput<Token>(accountRoutes.listTokens, input, { id: 'number' });
      // There are at most a hundred.
      const own = db.listsFor(caller.user.id);
      const [data, total] = await Promise.all([
        listTokens(own, caller.user.id, page),
        countTokens(own, caller.user.id),
      ]);
      const pagination = toPagination(page, total, data, toPublicUrl(request, config));
      return { ...toEnvelope('Tokens retrieved successfully.', data), pagination };
    },
  });
  registerRoute(context, accountRoutes.createToken, {
    handle: async ({ caller, actor, reply, body: { name, abilities = ['*'], expires_at } }) => {
      if (!coversAbilities(caller.abilities, abilities)) throw new AppError('missing_ability');
      const expiresAt = expires_at === undefined ? null : (parseIsoDateTime(expires_at)?.toISOString() ?? null);
      const { tokenId: callingTokenId, user } = caller;
      const created = await createApiToken(db, actor, user.id, { callingTokenId, name, abilities, expiresAt });
      if (created === 'revoked') throw new AppError('unauthenticated');
      if (created === 'too_long') throw outlivesCaller();
      if (created === 'limit') {
        return refuse(
          reply,
          'token_limit',
          `An account has at most ${MAX_TOKENS} tokens. Delete one that you no longer need.`,
        );
      }
      return toEnvelope('Token created successfully.', { token: created.token, name });
    },
  });
  registerRoute(context, accountRoutes.deleteToken, {
    handle: async ({ caller, actor, params }) => {
      const { id } = caller.user;
      const tokenId = Number(params.token_id);
      await db.transactionFor(id, async (tx) => {
        const before = await deleteToken(tx, id, tokenId, { isSession: false });
        if (!before) throw AppError.notFound('Token');
        const target = { type: 'token', id: String(tokenId) };
        await recordAudit(tx, actor, { action: 'token.delete', target, before: { name: before.name } });
      });
      return toEnvelope('Token revoked successfully.', null);
    },
  });
};
