import { DEFAULT_PER_PAGE, MAX_WEBHOOKS, parseIsoDateTime, webhookRoutes, type EventType } from '@berth/contract';
import type { FastifyReply } from 'fastify';
import { recordAudit } from '../../../audit/record.ts';
import type { Queryable } from '../../../db/database.ts';
import { createId, HIGHEST_ID, LOWEST_ID } from '../../../db/ids.ts';
import { AppError, ValidationError } from '../../../errors.ts';
import { recordEvents } from '../../../events/record.ts';
import { isUuid } from '../../../validation/uuid.ts';
import * as deliveries from '../../../webhooks/deliveries.ts';
import * as queries from '../../../webhooks/queries.ts';
import { createWebhookSecret } from '../../../webhooks/signature.ts';
import { refuse, toEnvelope } from '../../http/envelope.ts';
import { toAfter, toPage } from '../../http/cursor.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

const noteChange = (
  tx: Queryable,
  type: EventType & `security.webhook_${'created' | 'changed' | 'deleted'}`,
  userId: string,
  webhookId: string,
): Promise<void> => recordEvents(tx, [{ type, userId, terminalId: null, data: { webhook_id: webhookId } }]);

const toTarget = (id: string) => ({ type: 'webhook', id });

const refusals = {
  webhook_limit: `An account has at most ${MAX_WEBHOOKS} webhooks. Delete one that you no longer need.`,
  webhook_disabled: 'The webhook is disabled. Enable it first.',
  event_gone: 'The event of this delivery is not kept any more, so it cannot be sent again.',
  too_many_pending: `${deliveries.WINDOW} deliveries wait already. Try again when there are fewer.`,
} as const;

const refuseAs = (reply: FastifyReply, code: keyof typeof refusals) => refuse(reply, code, refusals[code]);

/** What the routes share. */
const createHelpers = ({ services: { db, events, outbound, vault } }: RouteContext) => {
  const assertUrl = async (userId: string, url: string | undefined): Promise<void> => {
    const refusal = url === undefined ? undefined : await outbound.check(url, userId);
    // A name may come to be known later; until then the deliveries say so.
    if (refusal && refusal.reason !== 'unresolvable') throw ValidationError.of('url', refusal.message);
  };
  const assertProject = async (tx: Queryable, userId: string, id: string | null | undefined): Promise<void> => {
    if (typeof id !== 'string') return;
    if (!isUuid(id) || !(await queries.holdProject(tx, userId, id)))
      throw ValidationError.of('project_id', 'The selected project id is invalid.');
  };
  const assertFound = async ({
    caller,
    params,
  }: {
    caller: { user: { id: string } };
    params: { webhook_id: string };
  }) => {
    const webhook = await queries.findWebhook(db, caller.user.id, params.webhook_id);
    if (!webhook) throw AppError.notFound('Webhook');
    return webhook;
  };
  /** It is sent what happens from now on. */
  const findEnd = async (): Promise<number> => {
    await events.horizon.advance();
    return events.horizon.value;
  };
  const seal = (secret: string, id: string): string => vault.seal(secret, `webhooks/${id}/secret`);
  return { assertUrl, assertProject, assertFound, findEnd, seal };
};

const registerSettings = (context: RouteContext): void => {
  const { db } = context.services;
  const { assertUrl, assertProject, assertFound, findEnd, seal } = createHelpers(context);

  registerRoute(context, webhookRoutes.listWebhooks, {
    handle: async ({ caller, query: { after, per_page: limit = DEFAULT_PER_PAGE } }) => {
      const { id: userId } = caller.user;
      const from = toAfter(after, LOWEST_ID);
      const found = await queries.listWebhooks(db.listsFor(userId), userId, from, limit + 1);
      const { data, pagination } = toPage(found, limit);
      return { ...toEnvelope('Webhooks retrieved successfully.', data), pagination };
    },
  });

  registerRoute(context, webhookRoutes.createWebhook, {
    handle: async ({ caller, actor, reply, body }) => {
      const { id: userId } = caller.user;
      await assertUrl(userId, body.url);
      const [id, secret, position] = [createId(), createWebhookSecret(), await findEnd()];
      const webhook = await db.transactionFor(userId, async (tx) => {
        if ((await queries.countWebhooksLocked(tx, userId)) >= MAX_WEBHOOKS) return undefined;
        await assertProject(tx, userId, body.project_id);
        const { url, events: names, project_id: projectId = null, description = null } = body;
        const isOrdered = body.is_ordered ?? false;
        const settings = { url, events: [...new Set(names)], projectId, description, isOrdered };
        const created = await queries.insertWebhook(tx, {
          ...{ id, userId, ...settings, sealedSecret: seal(secret, id), position },
        });
        await recordAudit(tx, actor, { action: 'webhook.create', target: toTarget(id), after: created });
        await noteChange(tx, 'security.webhook_created', userId, id);
        return created;
      });
      if (!webhook) return refuseAs(reply, 'webhook_limit');
      return toEnvelope('Webhook created successfully.', { ...webhook, secret });
    },
  });

  registerRoute(context, webhookRoutes.readWebhook, {
    handle: async (input) => toEnvelope('Webhook retrieved successfully.', await assertFound(input)),
  });

  registerRoute(context, webhookRoutes.updateWebhook, {
    assertFound,
    handle: async (input) => {
      const { caller, actor, params, body } = input;
      const { id: userId } = caller.user;
      await assertFound(input);
      await assertUrl(userId, body.url);
      // Only an enabled one begins anew, and only from there.
      const end = body.status === 'active' ? await findEnd() : undefined;
      const webhook = await db.transactionFor(userId, async (tx) => {
        await assertProject(tx, userId, body.project_id);
        const before = await queries.lockWebhook(tx, userId, params.webhook_id);
        if (!before) throw AppError.notFound('Webhook');
        const { url, events: names, project_id, description, is_ordered, status } = body;
        const given = { url, events: names && [...new Set(names)], project_id, description, is_ordered, status };
        const changes = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
        const after = { ...before, ...changes };
        await queries.writeWebhook(tx, before.id, after);
        if (before.status === 'active' && status === 'disabled') await queries.failPending(tx, before.id);
        if (before.status === 'disabled' && end !== undefined) {
          await queries.restartWebhook(tx, before.id, end);
        }
        await recordAudit(tx, actor, { action: 'webhook.update', target: toTarget(before.id), before, after });
        await noteChange(tx, 'security.webhook_changed', userId, before.id);
        return queries.findWebhook(tx, userId, before.id);
      });
      if (!webhook) throw AppError.notFound('Webhook');
      return toEnvelope('Webhook updated successfully.', webhook);
    },
  });
};

const registerEnds = (context: RouteContext): void => {
  const { db } = context.services;
  const { assertFound, seal } = createHelpers(context);

  registerRoute(context, webhookRoutes.deleteWebhook, {
    handle: async ({ caller, actor, params: { webhook_id: id } }) => {
      const { id: userId } = caller.user;
      await db.transactionFor(userId, async (tx) => {
        const before = await queries.lockWebhook(tx, userId, id);
        if (!before || !(await queries.deleteWebhook(tx, userId, id))) throw AppError.notFound('Webhook');
        await recordAudit(tx, actor, { action: 'webhook.delete', target: toTarget(id), before });
        await noteChange(tx, 'security.webhook_deleted', userId, id);
      });
      return toEnvelope('Webhook deleted successfully.', null);
    },
  });

  registerRoute(context, webhookRoutes.rotateWebhookSecret, {
    assertFound,
    handle: async ({ caller, actor, params: { webhook_id: id } }) => {
      const { id: userId } = caller.user;
      const secret = createWebhookSecret();
      const webhook = await db.transactionFor(userId, async (tx) => {
        const rotated = await queries.rotateSecret(tx, userId, id, seal(secret, id));
        if (!rotated) return undefined;
        await recordAudit(tx, actor, { action: 'webhook.rotate_secret', target: toTarget(id), after: { secret } });
        await noteChange(tx, 'security.webhook_changed', userId, id);
        return rotated;
      });
      if (!webhook) throw AppError.notFound('Webhook');
      return toEnvelope('Secret rotated successfully.', { ...webhook, secret });
    },
  });
};

const registerDeliveries = (context: RouteContext): void => {
  const { db } = context.services;
  const { assertFound } = createHelpers(context);

  registerRoute(context, webhookRoutes.testWebhook, {
    assertFound,
    handle: async ({ caller, params, reply }) => {
      const { id: userId } = caller.user;
      const outcome = await db.transactionFor(userId, async (tx) => {
        const webhook = await queries.lockWebhook(tx, userId, params.webhook_id);
        if (!webhook) throw AppError.notFound('Webhook');
        if (webhook.status === 'disabled') return 'webhook_disabled';
        if ((await deliveries.countPending(tx, webhook.id)) >= deliveries.WINDOW) return 'too_many_pending';
        const delivery = await deliveries.insertTestDelivery(tx, createId(), webhook.id);
        await deliveries.callWebhook(tx, webhook.id);
        return delivery;
      });
      return typeof outcome === 'string' ? refuseAs(reply, outcome) : toEnvelope('Test queued successfully.', outcome);
    },
  });

  registerRoute(context, webhookRoutes.listDeliveries, {
    assertFound,
    handle: async (input) => {
      const { after, status = null, per_page: limit = DEFAULT_PER_PAGE } = input.query;
      const before = toAfter(after, HIGHEST_ID);
      const { id } = await assertFound(input);
      const own = db.slowFor(input.caller.user.id);
      const found = await deliveries.listDeliveries(own, id, { before, status, limit: limit + 1 });
      const { data, pagination } = toPage(found, limit);
      return { ...toEnvelope('Deliveries retrieved successfully.', data), pagination };
    },
  });

  registerRoute(context, webhookRoutes.resendDelivery, {
    assertFound,
    handle: async ({ caller, params, reply }) => {
      const { id: userId } = caller.user;
      const outcome = await db.transactionFor(userId, async (tx) => {
        const webhook = await queries.lockWebhook(tx, userId, params.webhook_id);
        if (!webhook) throw AppError.notFound('Webhook');
        const delivery = await deliveries.findDelivery(tx, webhook.id, params.delivery_id);
        if (!delivery) throw AppError.notFound('Delivery');
        if (webhook.status === 'disabled') return 'webhook_disabled';
        if (!delivery.is_kept) return 'event_gone';
        const isMore = delivery.status !== 'pending';
        if (isMore && (await deliveries.countPending(tx, webhook.id)) >= deliveries.WINDOW) return 'too_many_pending';
        const again = await deliveries.resendDelivery(tx, webhook.id, params.delivery_id);
        await deliveries.callWebhook(tx, webhook.id);
        return again;
      });
      return typeof outcome === 'string'
        ? refuseAs(reply, outcome)
        : toEnvelope('Delivery queued successfully.', outcome);
    },
  });

  registerRoute(context, webhookRoutes.resendFailed, {
    assertFound,
    handle: async ({ caller, params, reply, body }) => {
      const { id: userId } = caller.user;
      const since = parseIsoDateTime(body.since)!.toISOString();
      const outcome = await db.transactionFor(userId, async (tx) => {
        const webhook = await queries.lockWebhook(tx, userId, params.webhook_id);
        if (!webhook) throw AppError.notFound('Webhook');
        if (webhook.status === 'disabled') return 'webhook_disabled';
        const limit = deliveries.WINDOW - (await deliveries.countPending(tx, webhook.id));
        if (limit <= 0) return 'too_many_pending';
        const count = await deliveries.resendFailed(tx, webhook.id, { since, userId, limit });
        await deliveries.callWebhook(tx, webhook.id);
        return { count };
      });
      return typeof outcome === 'string'
        ? refuseAs(reply, outcome)
        : toEnvelope('Deliveries queued successfully.', outcome);
    },
  });
};

export const registerWebhookRoutes = (context: RouteContext): void => {
  registerSettings(context);
  registerEnds(context);
  registerDeliveries(context);
};
