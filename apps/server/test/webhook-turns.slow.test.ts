/** More webhooks than a server takes into hand, all with more to send than they get rid of. */
import { MAX_WEBHOOKS } from '@berth/contract';
import { startTestServer, startWebhookReceiver, waitFor, LOOPBACK } from '@berth/testing';
import { expect, it } from 'vitest';

it(
  'a webhook gets its turn, however many others have something to send all the time',
  { timeout: 240_000 },
  async () => {
    const server = await startTestServer({ config: { outbound: LOOPBACK } });
    const [slow, quick] = [await startWebhookReceiver(), await startWebhookReceiver()];
    slow.answer = async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { status: 200 };
    };
    const happen = (userId: string, count: number) =>
      server.query(
        `insert into events (user_id, type, data) select $1, 'host.lost', '{}' from generate_series(1, $2::int)`,
        [userId, count],
      );
    const live = async (url: string, count: number) => {
      const { user, token } = await server.register('Owner');
      for (let made = 0; made < count; made += 1)
        await server.request('POST', '/v1/my/webhooks', { token, body: { url, events: ['host.lost'] } });
      return user.id;
    };
    try {
      for (let user = 0; user < 5; user += 1) await happen(await live(slow.url, MAX_WEBHOOKS), 1_000);
      const inHand = async () =>
        (await server.query('select count(*)::int as total from webhooks where lease is not null'))[0]!.total as number;
      await waitFor(async () => (await inHand()) >= 200, { what: 'a server that has all hands full' });
      const userId = await live(quick.url, 1);
      await happen(userId, 1);
      await waitFor(() => quick.received.length === 1);
      expect(await inHand()).toBeGreaterThan(100);
    } finally {
      await server.close();
      await Promise.all([slow.close(), quick.close()]);
    }
  },
);
