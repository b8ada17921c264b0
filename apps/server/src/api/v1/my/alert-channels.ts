import {
  alertRoutes,
  alertSettings,
  DEFAULT_PER_PAGE,
  hasAbility,
  KEPT_SECRET,
  MAX_ALERT_CHANNELS,
  toScreenshotErrors,
  toSettingErrors,
  type AlertChannelKind,
  type AlertChannelSettings,
  type FieldError,
} from '@berth/contract';
import * as channels from '../../../alerts/channels.ts';
import { askLater, askToConfirm } from '../../../alerts/confirmation.ts';
import { findBaseUrl } from '../../../alerts/links.ts';
import { sendMessage } from '../../../alerts/post-office.ts';
import { openSettings, sealSettings } from '../../../alerts/secrets.ts';
import { testText } from '../../../alerts/texts.ts';
import { recordAudit } from '../../../audit/record.ts';
import { createId, LOWEST_ID } from '../../../db/ids.ts';
import { AppError, ValidationError } from '../../../errors.ts';
import { takeMail } from '../../../mail/allowance.ts';
import { SecretError } from '../../../secrets/vault.ts';
import { refuse, toEnvelope } from '../../http/envelope.ts';
import { toAfter, toPage } from '../../http/cursor.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

type SettingName = keyof AlertChannelSettings;

/** Which settings are addresses that this server calls. */
const urlNames = ['api_url', 'webhook_url', 'server_url'] as const satisfies readonly SettingName[];

const assertNone = (errors: readonly FieldError[]): void => {
  if (errors.length > 0) throw new ValidationError(errors);
};

const toSecretError = (name: SettingName): FieldError => ({
  field: `settings.${name}`,
  text: `The settings.${name.replaceAll('_', ' ')} field must be the secret itself: none is stored that could be kept.`,
});

/** Settings without those that are null, which stands for the default. */
const withoutNulls = (settings: AlertChannelSettings): AlertChannelSettings =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null && value !== undefined));

/** The settings after a change. A secret goes to no other address unless it is entered again: a token cannot read it. */
const toChanged = (
  kind: AlertChannelKind,
  before: AlertChannelSettings,
  given: AlertChannelSettings,
): AlertChannelSettings => {
  const { secret, address } = alertSettings[kind];
  const isKept = (name: SettingName): boolean => secret.includes(name) && (given[name] ?? KEPT_SECRET) === KEPT_SECRET;
  assertNone(secret.filter((name) => given[name] === KEPT_SECRET && !before[name]).map(toSecretError));
  const entered = Object.entries(given).filter(
    ([name, value]) => value !== KEPT_SECRET || !secret.includes(name as SettingName),
  );
  const changed = { ...before, ...Object.fromEntries(entered) };
  const isMoved = address !== undefined && (changed[address] ?? null) !== (before[address] ?? null);
  if (isMoved) {
    assertNone(
      secret
        .filter((name) => changed[name] && isKept(name))
        .map((name) => ({
          field: `settings.${name}`,
          text: `The settings.${name.replaceAll('_', ' ')} field is required when settings.${address.replaceAll('_', ' ')} changes.`,
        })),
    );
  }
  return withoutNulls(changed);
};

/** Whoever chooses where screenshots go could have them sent to himself. */
const assertCanRead = (abilities: readonly string[]): void => {
  if (!hasAbility(abilities, 'read')) throw new AppError('missing_ability');
};

const toTarget = (id: string) => ({ type: 'alert_channel', id });

/** What the routes share. */
const createHelpers = ({ services }: RouteContext) => {
  const { config, outbound } = services;

  const assertUrls = async (userId: string, settings: AlertChannelSettings): Promise<void> => {
    for (const name of urlNames) {
      const url = settings[name];
      const refusal = typeof url === 'string' && url !== KEPT_SECRET ? await outbound.check(url, userId) : undefined;
      // A name may come to be known later; until then the messages say so.
      if (refusal && refusal.reason !== 'unresolvable') throw ValidationError.of(`settings.${name}`, refusal.message);
    }
  };

  /** Whether mails may go there at once: to the address of the account where it is verified. Others are asked first. */
  const isAgreed = (kind: AlertChannelKind, settings: AlertChannelSettings, owner: channels.ChannelOwner): boolean => {
    const isOwn = settings.to?.toLowerCase() === owner.email.toLowerCase();
    if (kind !== 'email' || (isOwn && owner.is_verified)) return true;
    if (findBaseUrl(config) !== undefined) return false;
    throw ValidationError.of(
      'settings.to',
      'The settings.to field must be the verified e-mail address of the account: this server does not know its own address, so nobody else could agree.',
      'A new password by a mailed code verifies the address. The operator of this server sets BERTH_PUBLIC_URL.',
    );
  };
  return { assertUrls, isAgreed };
};

const registerSettings = (context: RouteContext): void => {
  const { db, vault } = context.services;
  const { assertUrls, isAgreed } = createHelpers(context);

  registerRoute(context, alertRoutes.listAlertChannels, {
    handle: async ({ caller, query: { after, per_page: limit = DEFAULT_PER_PAGE } }) => {
      const { id: userId } = caller.user;
      const from = toAfter(after, LOWEST_ID);
      const { data, pagination } = toPage(
        await channels.listChannels(db.listsFor(userId), userId, from, limit + 1),
        limit,
      );
      return { ...toEnvelope('Alert channels retrieved successfully.', data), pagination };
    },
  });

  registerRoute(context, alertRoutes.createAlertChannel, {
    handle: async ({ caller, actor, reply, creation, body }) => {
      const { id: userId } = caller.user;
      const { kind, name, settings, with_screenshot: withScreenshot = false } = body;
      if (withScreenshot) assertCanRead(caller.abilities);
      assertNone(alertSettings[kind].secret.filter((one) => settings[one] === KEPT_SECRET).map(toSecretError));
      await assertUrls(userId, settings);
      const id = createId();
      const sealed = sealSettings(vault, id, kind, settings);
      const created = await creation.within(async (tx) => {
        const { total, owner } = await channels.countChannelsLocked(tx, userId);
        if (total >= MAX_ALERT_CHANNELS) return undefined;
        const isConfirmed = isAgreed(kind, settings, owner);
        const given = { id, userId, kind, name, ...sealed, isConfirmed, withScreenshot };
        const channel = await channels.insertChannel(tx, given);
        askLater(context.services, tx, owner.email, channel);
        const after = { ...channel, settings };
        await recordAudit(tx, actor, { action: 'alert_channel.create', target: toTarget(id), after });
        return channel;
      });
      if (created) return toEnvelope('Alert channel created successfully.', created);
      return refuse(
        reply,
        'alert_channel_limit',
        `An account has at most ${MAX_ALERT_CHANNELS} alert channels. Delete one that you no longer need.`,
      );
    },
  });

  registerRoute(context, alertRoutes.updateAlertChannel, {
    assertFound: async ({ caller, params }) => {
      if (!(await channels.findChannel(db, caller.user.id, params.alert_channel_id)))
        throw AppError.notFound('Alert channel');
    },
    handle: async ({ caller, actor, params: { alert_channel_id: id }, body }) => {
      const { id: userId } = caller.user;
      // Looking up a name takes time, and holds no row.
      await assertUrls(userId, body.settings ?? {});
      const channel = await db.transactionFor(userId, async (tx) => {
        const { owner } = await channels.countChannelsLocked(tx, userId);
        const before = await channels.lockChannel(tx, userId, id);
        if (!before) throw AppError.notFound('Alert channel');
        const { kind } = before;
        const withScreenshot = body.with_screenshot ?? before.with_screenshot;
        if (withScreenshot && (body.with_screenshot || body.settings)) assertCanRead(caller.abilities);
        assertNone(toScreenshotErrors(kind, withScreenshot));
        const opened = openOrForget(context, before);
        const settings = body.settings ? toChanged(kind, opened, body.settings) : opened;
        if (body.settings) assertNone(toSettingErrors(kind, settings));
        const sealed = body.settings ? sealSettings(vault, id, kind, settings) : before;
        const isSame = settings.to === before.settings.to;
        const isConfirmed = isSame ? before.is_confirmed : isAgreed(kind, settings, owner);
        const { settings: shown, secrets } = sealed;
        const changes = { name: body.name ?? before.name, settings: shown, secrets, isConfirmed, withScreenshot };
        const written = await channels.writeChannel(tx, userId, id, changes);
        if (!isSame) askLater(context.services, tx, owner.email, written);
        const { secrets: _sealed, ...was } = { ...before, settings: opened };
        const change = { before: was, after: { ...written, settings } };
        await recordAudit(tx, actor, { action: 'alert_channel.update', target: toTarget(id), ...change });
        return written;
      });
      return toEnvelope('Alert channel updated successfully.', channel);
    },
  });
};

/** Secrets whose key is lost have to be entered again; until then there are none. */
const openOrForget = ({ services: { vault } }: RouteContext, channel: channels.SealedChannel): AlertChannelSettings => {
  try {
    return openSettings(vault, channel.id, channel.settings, channel.secrets);
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    const names = alertSettings[channel.kind].secret;
    return Object.fromEntries(
      Object.entries(channel.settings).filter(([name]) => !names.includes(name as SettingName)),
    );
  }
};

const registerRest = (context: RouteContext): void => {
  const { db, log, outbound, vault, mailer, stopping } = context.services;

  registerRoute(context, alertRoutes.readAlertChannel, {
    handle: async ({ caller, params }) => {
      const channel = await channels.findChannel(db, caller.user.id, params.alert_channel_id);
      if (!channel) throw AppError.notFound('Alert channel');
      return toEnvelope('Alert channel retrieved successfully.', channel);
    },
  });

  registerRoute(context, alertRoutes.deleteAlertChannel, {
    handle: async ({ caller, actor, params: { alert_channel_id: id } }) => {
      const { id: userId } = caller.user;
      await db.transactionFor(userId, async (tx) => {
        const before = await channels.findChannel(tx, userId, id);
        if (!before || !(await channels.deleteChannel(tx, userId, id))) throw AppError.notFound('Alert channel');
        await recordAudit(tx, actor, { action: 'alert_channel.delete', target: toTarget(id), before });
      });
      return toEnvelope('Alert channel deleted successfully.', null);
    },
  });

  registerRoute(context, alertRoutes.testAlertChannel, {
    assertFound: async ({ caller, params }) => {
      if (!(await channels.findChannel(db, caller.user.id, params.alert_channel_id)))
        throw AppError.notFound('Alert channel');
    },
    handle: async ({ caller, params: { alert_channel_id: id }, reply }) => {
      const { user } = caller;
      // No transaction is open while others are called.
      const channel = await db.transactionFor(user.id, (tx) => channels.lockChannel(tx, user.id, id));
      if (!channel) throw AppError.notFound('Alert channel');
      if (!channel.is_confirmed) {
        await askToConfirm(context.services, user.email, channel).catch((error: unknown) =>
          log.warn({ err: error }, 'a mail was not sent'),
        );
        const isOwn = channel.settings.to?.toLowerCase() === user.email.toLowerCase();
        const text = isOwn
          ? 'Your address is not verified yet. Open the link in the mail that was sent to it.'
          : 'The owner of this address has not agreed yet.';
        const again = 'The mail with the link is sent again, three times an hour at the most.';
        return refuse(reply, 'alert_channel_unconfirmed', `${text} ${again}`);
      }
      const { kind, settings, secrets } = channel;
      if (kind === 'email' && !(await db.transactionFor(user.id, (tx) => takeMail(tx, 'test', settings.to ?? ''))))
        throw new AppError('mail_rate_limit', { retryAfterSeconds: 3_600 });
      const message = { id: createId(), text: testText, signal: stopping };
      const sent = await sendMessage(
        { outbound, vault, mailer },
        { id, userId: user.id, kind, settings, secrets },
        message,
      );
      if (sent.cause !== undefined) log.warn({ channel: id, cause: sent.cause }, 'a test message was not sent');
      const error = sent.isUntried ? 'The server is busy. Try again in a moment.' : sent.error;
      await db.transactionFor(user.id, (tx) => channels.noteChannel(tx, user.id, id, error));
      const result = { is_sent: error === null, response_status: sent.status, answer: sent.answer, error };
      return toEnvelope(error === null ? 'Test message sent.' : 'Test message was not taken.', result);
    },
  });
};

export const registerAlertChannelRoutes = (context: RouteContext): void => {
  registerSettings(context);
  registerRest(context);
};
