/** Chat and push services as tests need them: a real HTTP server, which answers as their public documentation says. */
import { startWebhookReceiver, type Received, type ReceiverAnswer, type WebhookReceiver } from '@berth/testing';

export const answers = {
  telegram: {
    taken: { status: 200, body: '{"ok":true,"result":{"message_id":7,"chat":{"id":42,"type":"private"},"text":"…"}}' },
    busy: {
      status: 429,
      headers: { 'content-type': 'application/json' },
      body: '{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 17","parameters":{"retry_after":17}}',
    },
    unknownChat: { status: 400, body: '{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}' },
    blocked: {
      status: 403,
      body: '{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}',
    },
    badToken: { status: 401, body: '{"ok":false,"error_code":401,"description":"Unauthorized"}' },
  },
  discord: {
    taken: { status: 204 },
    busy: {
      status: 429,
      headers: { 'retry-after': '2' },
      body: '{"message":"You are being rate limited.","retry_after":1.336,"global":false}',
    },
    gone: { status: 404, body: '{"message": "Unknown Webhook", "code": 10015}' },
  },
  slack: {
    taken: { status: 200, body: 'ok' },
    badToken: { status: 403, body: 'invalid_token' },
    busy: { status: 429, headers: { 'retry-after': '30' }, body: 'rate_limited' },
  },
  ntfy: {
    taken: { status: 200, body: '{"id":"xE73Iyuabi","time":1735545600,"event":"message","topic":"berth"}' },
    busy: { status: 429, body: '{"code":42901,"http":429,"error":"limit reached: too many requests"}' },
    forbidden: { status: 403, body: '{"code":40301,"http":403,"error":"forbidden"}' },
  },
} satisfies Record<string, Record<string, ReceiverAnswer>>;

export interface Chat extends WebhookReceiver {
  /** Without the path. */
  origin: string;
}

/** A service that answers so, until the test says otherwise. */
export const startChat = async (taken: ReceiverAnswer): Promise<Chat> => {
  const receiver = await startWebhookReceiver();
  receiver.answer = () => taken;
  return Object.assign(receiver, { origin: new URL(receiver.url).origin });
};

export const toJson = ({ body }: Pick<Received, 'body'>) => JSON.parse(body) as Record<string, never>;
