/**
 * The pages behind the links of messages. They need no account: the signature in the address is the right to do this one
 * thing. Opening a link shows what it does; only its button does it, because programs that look for harmful links open them all.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { findLinkedAlert, acknowledgeByLink } from '../alerts/alerts.ts';
import { confirmChannel, findChannelAddress } from '../alerts/channels.ts';
import { isSignatureOf } from '../alerts/links.ts';
import { toTitle } from '../alerts/texts.ts';
import type { CoreServices } from '../services.ts';
import { isUuid } from '../validation/uuid.ts';
import type { RateLimits } from './limits/rate-limits.ts';

interface LinkRequest {
  Params: { id: string; signature: string };
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1rem;color:#1c2430;background:#f6f7f9}' +
  'button{font:inherit;padding:.6rem 1.2rem;border:0;border-radius:.4rem;background:#1d4ed8;color:#fff;cursor:pointer}' +
  '@media(prefers-color-scheme:dark){body{color:#e6e9ee;background:#12161c}}';

interface Page {
  title: string;
  text: string;
  /** What the button says; undefined: there is nothing to do. */
  button?: string;
}

/** It is in no search engine, tells nobody where it was opened from, and loads nothing. */
const answer = (reply: FastifyReply, status: number, { title, text, button }: Page): FastifyReply =>
  reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('x-robots-tag', 'noindex')
    .header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
        `<title>${escape(title)} · Berth</title><style>${style}</style></head><body><main><h1>${escape(title)}</h1>` +
        `<p>${escape(text)}</p>${button === undefined ? '' : `<form method="post"><button>${escape(button)}</button></form>`}` +
        '</main></body></html>',
    );

const unknown: Page = {
  title: 'This link does not work',
  text: 'It is incomplete, or too old. Sign in to Berth to see your alerts.',
};

const registerAcknowledgement = (
  app: FastifyInstance,
  { db, vault }: Pick<CoreServices, 'db' | 'vault'>,
  limits: RateLimits,
): void => {
  const url = '/alert-links/acknowledge/:id/:signature';
  const find = async ({ id, signature }: LinkRequest['Params']) =>
    isUuid(id) && isSignatureOf(vault, { purpose: 'acknowledge', id }, signature) ? findLinkedAlert(db, id) : undefined;
  const over: Page = { title: 'This alert is over', text: 'There is nothing left to do.' };
  const used: Page = { title: 'Acknowledged', text: 'Somebody takes care of this alert: it reminds nobody any more.' };
  app.get<LinkRequest>(url, async (request, reply) => {
    await limits.pageSearch(request, reply);
    const alert = await find(request.params);
    if (!alert) return answer(reply, 404, unknown);
    if (alert.resolved_at !== null) return answer(reply, 200, over);
    if (alert.acknowledged_at !== null) return answer(reply, 200, used);
    const text = `${toTitle(alert.when, alert.subject)}. If you acknowledge this alert, it reminds nobody any more.`;
    return answer(reply, 200, { title: 'Acknowledge this alert?', text, button: 'Acknowledge' });
  });
  app.post<LinkRequest>(url, async (request, reply) => {
    await limits.pageSearch(request, reply);
    const alert = await find(request.params);
    if (!alert) return answer(reply, 404, unknown);
    if (alert.resolved_at !== null) return answer(reply, 200, over);
    await db.transaction((tx) => acknowledgeByLink(tx, request.params.id));
    return answer(reply, 200, used);
  });
};

const registerConfirmation = (
  app: FastifyInstance,
  { db, vault }: Pick<CoreServices, 'db' | 'vault'>,
  limits: RateLimits,
): void => {
  const url = '/alert-links/confirm/:id/:signature';
  const find = async ({ id, signature }: LinkRequest['Params']) => {
    const channel = isUuid(id) ? await findChannelAddress(db, id) : undefined;
    const isRight = channel && isSignatureOf(vault, { purpose: 'confirm', id, address: channel.address }, signature);
    return isRight ? channel : undefined;
  };
  const used: Page = { title: 'Thank you', text: 'Alerts will be sent to this address.' };
  app.get<LinkRequest>(url, async (request, reply) => {
    await limits.pageSearch(request, reply);
    const channel = await find(request.params);
    if (!channel) return answer(reply, 404, unknown);
    if (channel.is_confirmed) return answer(reply, 200, used);
    const text = `The Berth account ${channel.account} asks to send alerts about its trading terminals to ${channel.address}.`;
    return answer(reply, 200, { title: 'Send alerts to this address?', text, button: 'Yes, send them' });
  });
  app.post<LinkRequest>(url, async (request, reply) => {
    await limits.pageSearch(request, reply);
    const channel = await find(request.params);
    if (!channel) return answer(reply, 404, unknown);
    await db.transaction((tx) => confirmChannel(tx, request.params.id, channel.address));
    return answer(reply, 200, used);
  });
};

export const registerAlertLinks = (
  app: FastifyInstance,
  services: Pick<CoreServices, 'db' | 'vault'>,
  limits: RateLimits,
): void => {
  registerAcknowledgement(app, services, limits);
  registerConfirmation(app, services, limits);
};
