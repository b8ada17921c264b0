/** Commands that let somebody in: users, invitations, links. */
import { CommandError } from '@berth/command';
import { invitationRoutes, userRoutes } from '@berth/contract';
import { invite, toEnd } from '../operation/invitation-changes.ts';
import { assertRegions } from '../operation/limit-regions.ts';
import { commandOperator } from '../operation/acting-operator.ts';
import { createUser, createUserLink } from '../operation/user-changes.ts';
import { createSecret } from '../secrets/token-secret.ts';
import { findNumber, findText, getText, limitOptions, readLimits, toBody } from './arguments.ts';
import { toAnswer, type Call, type OperatorCommand } from './command.ts';
import { getNamedUser } from './names.ts';
import type { ServerConfig } from '../config.ts';

/** A link with a secret in its fragment (`#`). It cannot be shown again. */
export const toLink = ({ publicUrl, host, port }: ServerConfig, call: Call, fragment: string): string => {
  if (publicUrl === undefined) call.say('BERTH_PUBLIC_URL is not set here, so the link is for this machine.');
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const name = isEverywhere ? '127.0.0.1' : host;
  const base = publicUrl ?? `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
  return new URL(`${base}/#${fragment}`).href;
};

const LIMITS = `  --plan N          the plan (0 = free)
  --terminals N     how many terminals the user may have; "plan": what the plan allows
  --storage-mib N   how much the user may store, in MiB; "plan": what the plan allows
  --regions 0,1     regions for new terminals; "all"`;

const toText = (what: string, url: string, expiresAt: string): string =>
  `${what}\n\n  ${url}\n\nWhoever has it can use it, once, until ${expiresAt}. It cannot be shown again.\n`;

const DAY_MS = 86_400_000;

export const newUserCommands: Record<string, OperatorCommand> = {
  create: {
    form: '--email ADDRESS --name NAME [--external-id ID] [--plan N] [--terminals N] [--storage-mib N] [--regions 0,1]',
    summary: 'creates a user, and prints a link to set the first password',
    details: LIMITS,
    options: {
      email: { type: 'string' },
      name: { type: 'string' },
      'external-id': { type: 'string' },
      ...limitOptions,
    },
    count: 0,
    run: async (instance, call) => {
      const { db, passwords, regions, config } = instance;
      const named = { email: getText(call.options, 'email'), name: getText(call.options, 'name') };
      const given = { ...named, external_id: findText(call.options, 'external-id'), ...readLimits(call.options) };
      const body = toBody(userRoutes.createUser, given);
      await assertRegions(regions, body.limits?.regions);
      const passwordHash = await passwords.hash(createSecret());
      const made = await db.transaction((tx) => createUser(tx, commandOperator, { ...body, passwordHash }));
      if (!made) throw new CommandError(`There is a user with the e-mail address ${body.email} already.`);
      const url = toLink(config, call, `password=${made.code}`);
      const text = toText(`${made.user.email} was created. To set the first password:`, url, made.expiresAt);
      return toAnswer(text, { user: made.user, password_link: { url, expires_at: made.expiresAt } });
    },
  },
  invite: {
    form: '[--email ADDRESS] [--days N] [--plan N] [--terminals N] [--storage-mib N] [--regions 0,1]',
    summary: 'prints a link with which somebody creates an account, once',
    details: `  --email ADDRESS   the invitation is for this address alone
  --days N          how long it is good (7, at most 90)
${LIMITS}`,
    options: { email: { type: 'string' }, days: { type: 'string' }, ...limitOptions },
    count: 0,
    run: async ({ db, clock, regions, config }, call) => {
      const days = findNumber(call.options, 'days');
      const end = days === undefined ? undefined : new Date(clock.now() + days * DAY_MS - 1_000).toISOString();
      const given = { email: findText(call.options, 'email'), expires_at: end, ...readLimits(call.options) };
      const { expires_at: until, ...offer } = toBody(invitationRoutes.createInvitation, given);
      await assertRegions(regions, offer.limits?.regions);
      const expiresAt = toEnd(until, clock.now());
      const { invitation, code } = await db.transaction((tx) => invite(tx, commandOperator, { ...offer, expiresAt }));
      const url = toLink(config, call, `invitation=${code}`);
      const text = toText('To create an account:', url, invitation.expires_at);
      return toAnswer(text, { invitation, url });
    },
  },
  'password-link': {
    form: 'USER',
    summary: 'prints a link with which the user sets a new password; earlier links end',
    options: {},
    count: 1,
    run: async (instance, call) => {
      const user = await getNamedUser(instance, call.positionals[0]);
      const made = await instance.db.transaction((tx) => createUserLink(tx, commandOperator, user.id));
      const url = toLink(instance.config, call, `password=${made.code}`);
      const text = toText(`For ${user.email} to set a new password:`, url, made.expiresAt);
      return toAnswer(text, { user_id: user.id, password_link: { url, expires_at: made.expiresAt } });
    },
  },
};
