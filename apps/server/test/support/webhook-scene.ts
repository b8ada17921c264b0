/** A server whose webhooks may call this machine, an endpoint that is new for each test, and what tests do with them. */
import type { WebhookDelivery } from '@berth/contract';
import { LOOPBACK, useTestServer, useWebhookReceiver, type TestServerOptions } from '@berth/testing';

export const useWebhooks = (options?: TestServerOptions) => {
  const server = useTestServer({ config: { outbound: LOOPBACK }, ...options });
  const receiver = useWebhookReceiver();
  const call = (token: string, method: string, path: string, body?: Record<string, unknown>) =>
    server.request(method, `/v1/my/webhooks${path}`, { token, ...(body ? { body } : {}) });
  return {
    server,
    receiver,
    call,
    create: async (token: string, settings: Record<string, unknown> = {}) => {
      const body = { url: receiver.url, events: ['security.token_created'], ...settings };
      return (await call(token, 'POST', '', body)).body.data as { id: string; secret: string };
    },
    /** Something that happens to the user, numbered from 1 on. */
    happen: (userId: string, count = 1, { type = 'security.token_created', terminalId = null as string | null } = {}) =>
      server.query(
        `insert into events (user_id, type, terminal_id, data)
         select $1, $3, $4, jsonb_build_object('token_id', n, 'name', 'n') from generate_series(1, $2::int) n`,
        [userId, count, type, terminalId],
      ),
    listDeliveries: async (token: string, id: string, query = 'per_page=100') =>
      (await call(token, 'GET', `/${id}/deliveries?${query}`)).body.data as WebhookDelivery[],
  };
};
