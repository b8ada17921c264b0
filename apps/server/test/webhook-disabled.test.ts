/** Whom Berth tells by mail that it disabled a webhook. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useWebhookReceiver, waitFor, useTestServer, LOOPBACK } from '@berth/testing';
import { expect, it } from 'vitest';
import { request } from './support/alert-scene.ts';

const server = useTestServer({ config: { outbound: LOOPBACK } });
const receiver = useWebhookReceiver(() => ({ status: 410 }));

/** A user's webhook, whose endpoint is gone. */
const createHook = async () => {
  const { user, token } = await server.register('Disabled');
  const hook = { url: `${receiver.url}/secret-part`, events: ['*'] };
  const { body } = await request(server, token, 'POST', 'webhooks', hook);
  const { id } = body.data as { id: string };
  const countDisabled = async () =>
    (await request(server, token, 'GET', 'events/log?types=security.webhook_disabled')).body.data.length as number;
  /** Enables it, and waits until it is disabled again. */
  const disable = async () => {
    const before = await countDisabled();
    await request(server, token, 'PATCH', `webhooks/${id}`, { status: 'active' });
    await request(server, token, 'POST', `webhooks/${id}/test`);
    await waitFor(async () => (await countDisabled()) > before);
  };
  const readMails = async () => {
    const folder = join(server.dataDir, 'mail');
    const names = await readdir(folder).catch(() => []);
    const mails = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    return mails.filter((one) => one.includes(`To: ${user.email}`) && one.includes('disabled a webhook'));
  };
  const verify = () => server.query('update users set email_verified_at = now() where id = $1', [user.id]);
  return { id, token, disable, readMails, verify };
};

it('a webhook that Berth disables is told of by mail, without the secret part of its address', async () => {
  const { disable, readMails, verify } = await createHook();
  await verify();
  await disable();
  const [mail] = await waitFor(async () => (await readMails()).length > 0 && readMails());
  expect(mail).toContain('410');
  expect(mail).not.toContain('secret-part');
});

it('a webhook that Berth disables is told of by a notification, also where the address of its user is not verified', async () => {
  const { id, token, disable } = await createHook();
  await disable();
  const { body } = await request(server, token, 'GET', 'account/notifications');
  const told = { type: 'App\\Notifications\\WebhookDisabled', data: { id, name: '' } };
  expect(body.data).toMatchObject([told]);
});

it('a webhook that Berth disables is told of by no mail to an address that nobody verified', async () => {
  const { disable, readMails, verify } = await createHook();
  await disable();
  await verify();
  await disable();
  await waitFor(async () => (await readMails()).length > 0);
  expect(await readMails()).toHaveLength(1);
});

it('a webhook that is enabled and disabled again and again is told of by ten mails an hour', async () => {
  const { disable, readMails, verify } = await createHook();
  await verify();
  await server.query('delete from reset_mails');
  await disable();
  expect(await server.query('update reset_mails set mails = mails + 9 returning mails')).toEqual([{ mails: 10 }]);
  await disable();
  await server.query('update reset_mails set ends_at = now()');
  await disable();
  await waitFor(async () => (await readMails()).length > 1);
  expect(await readMails()).toHaveLength(2);
});
