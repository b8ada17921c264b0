import { AccountStatus, authRoutes, cutText } from '@berth/contract';
import type { FastifyRequest } from 'fastify';
import { findLogin } from '../../accounts/credentials.ts';
import { acceptInvitation } from '../../accounts/invitations.ts';
import { assertUncommon, replacePassword } from '../../accounts/passwords.ts';
import { usePasswordCode } from '../../accounts/password-links.ts';
import { requestResetCode, tryResetCode } from '../../accounts/reset-codes.ts';
import { recordAudit, recordRefusedSignIn, toUserActor } from '../../audit/record.ts';
import { AppError, ValidationError } from '../../errors.ts';
import { createAccount } from '../../accounts/users.ts';
import { createSessionToken } from '../../tokens/create-token.ts';
import { deleteToken } from '../../tokens/queries.ts';
import { noteSignIn, recordSignIn, type SignInPlace } from '../../tokens/sign-ins.ts';
import { useSignInCode } from '../../tokens/sign-in-links.ts';
import { toEnvelope } from '../http/envelope.ts';
import { toAddressKey } from '../limits/address-key.ts';
import { registerRoute, type RouteContext } from '../http/route.ts';
import { assertOwnPage, findSessionToken, giveSession, takeSession, toCsrfToken } from '../http/session-cookie.ts';

const toSession = (user: { name: string; email: string }, token: string) => ({
  user: { name: user.name, email: user.email },
  token,
  token_type: 'Bearer' as const,
});

/** The secret goes into the cookie only. */
const toBrowser = (user: { name: string; email: string }, token: string) => ({
  user: { name: user.name, email: user.email },
  csrf_token: toCsrfToken(token),
});

const wrongCredentials = (): ValidationError =>
  ValidationError.of(
    'email',
    'These credentials do not match our records.',
    'Check the address and the password. POST /v1/auth/forgot-password mails a code for a new one.',
  );

const wrongCode = (): ValidationError =>
  ValidationError.of(
    'code',
    'The code is invalid or has expired.',
    'Look at the newest mail. POST /v1/auth/forgot-password mails another code.',
  );

export const registerAuthRoutes = (context: RouteContext): void => {
  registerRegistration(context);
  registerInvitations(context);
  registerSessions(context);
  registerPasswordReset(context);
};

const registerRegistration = (context: RouteContext): void => {
  const { config, db, passwords } = context.services;
  registerRoute(context, authRoutes.register, {
    handle: async ({ body: { name, email, password }, request }) => {
      if (!config.isRegistrationOpen) throw new AppError('registration_closed');
      assertUncommon('password', password);
      const passwordHash = await passwords.hash(password);
      const token = await db.transaction(async (tx) => {
        const account = await createAccount(tx, { name, email, passwordHash });
        if (!account) return undefined;
        await noteSignIn(tx, account.id, toPlace(request, PROGRAM), { isFirst: true });
        const made = await createSessionToken(tx, { userId: account.id, passwordHash });
        const by = { address: request.ip, device: PROGRAM, isSession: false, isNew: true };
        if (made) await recordSignIn(tx, account.id, made, by);
        return made;
      });
      if (!token)
        throw ValidationError.of('email', 'The email has already been taken.', 'POST /v1/auth/login signs in.');
      return toEnvelope('Registered successfully.', toSession({ name, email }, token));
    },
  });
};

const registerInvitations = (context: RouteContext): void => {
  const { db, passwords } = context.services;
  registerRoute(context, authRoutes.acceptInvitation, {
    handle: async ({ body: { code, name, email, password }, request }) => {
      assertUncommon('password', password);
      const accepted = await acceptInvitation(
        db,
        { code, name, email },
        {
          hash: () => passwords.hash(password),
          note: async (tx, id) => {
            const change = { action: 'account.create', target: { type: 'account', id }, after: {} } as const;
            await recordAudit(tx, toUserActor(id, request.ip), change);
          },
        },
      );
      if (accepted.kind === 'over') {
        const text = 'The invitation was used before, has expired or was revoked.';
        throw ValidationError.of('code', text, 'Ask the operator for another one.');
      }
      if (accepted.kind === 'no_email') throw ValidationError.of('email', 'The email field is required.');
      if (accepted.kind === 'other_email')
        throw ValidationError.of(
          'email',
          `This invitation is for ${accepted.email}.`,
          'Send that address, or none. For another one, ask the operator for another invitation.',
        );
      if (accepted.kind === 'taken')
        throw ValidationError.of('email', 'The email has already been taken.', 'POST /v1/auth/login signs in.');
      return toEnvelope('Your account was created. Sign in with it.', { name, email: accepted.email });
    },
  });
};

/** The name of a browser in the list of sessions. Only known names are used: a User-Agent header may hold anything. */
const browsers: readonly [pattern: RegExp, name: string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
];
const systems: readonly [pattern: RegExp, name: string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];
/** Longer ones add nothing, and take longer to match. */
const MAX_LENGTH = 512;

/**
 * `Firefox on Linux`.
 * @param userAgent the header, whatever it holds
 */
export const toDevice = (userAgent: string | undefined): string => {
  const text = cutText(userAgent ?? '', MAX_LENGTH);
  const nameIn = (table: readonly [RegExp, string][]) => table.find(([pattern]) => pattern.test(text))?.[1];
  return `${nameIn(browsers) ?? 'A browser'} on ${nameIn(systems) ?? 'an unknown system'}`;
};

/** What signs in that is no browser. */
const PROGRAM = 'API';

const toPlace = ({ ip }: FastifyRequest, device: string): SignInPlace => ({
  address: ip,
  network: toAddressKey(ip),
  device,
});

const registerSessions = (context: RouteContext): void => {
  const { config, db, log, passwords } = context.services;
  /** Nobody waits for it: the time that it takes would tell who has an account. */
  const noteRefusal = (userId: string, { ip }: FastifyRequest): void => {
    recordRefusedSignIn(db, userId, ip).catch((error: unknown) => {
      log.warn({ err: error }, 'a failed sign-in is not in the audit log');
    });
  };

  registerRoute(context, authRoutes.login, {
    handle: async ({ body: { email, password, session = false }, request, reply }) => {
      if (session) assertOwnPage(request, config);
      const user = await findLogin(db, email);
      const isMatch = await passwords.isMatch(password, user?.password_hash);
      if (user && (!isMatch || user.status !== AccountStatus.ACTIVE)) noteRefusal(user.id, request);
      if (!isMatch || !user) throw wrongCredentials();
      if (user.status !== AccountStatus.ACTIVE) throw new AppError('account_suspended');
      // Not on the slow connections, where it would wait behind lists and files.
      const verified = { userId: user.id, passwordHash: user.password_hash };
      const device = session ? toDevice(request.headers['user-agent']) : null;
      const token = await db.transaction(async (tx) => {
        const created = await createSessionToken(tx, verified, device);
        if (!created) return undefined;
        await noteSignIn(tx, user.id, toPlace(request, device ?? PROGRAM));
        const by = { address: request.ip, device: device ?? PROGRAM, isSession: session };
        await recordSignIn(tx, user.id, created, by);
        return created;
      });
      if (!token) throw wrongCredentials();
      if (session) giveSession(request, reply, config, token);
      return toEnvelope('Logged in successfully.', session ? toBrowser(user, token) : toSession(user, token));
    },
  });
  registerRoute(context, authRoutes.useSignInLink, {
    handle: async ({ body: { code }, request, reply }) => {
      assertOwnPage(request, config);
      const used = await useSignInCode(db, code, toPlace(request, toDevice(request.headers['user-agent'])));
      if (!used)
        throw ValidationError.of('code', 'The link was used before or has expired. Sign in with the password.');
      giveSession(request, reply, config, used.token);
      return toEnvelope('Logged in successfully.', toBrowser(used.user, used.token));
    },
  });
  registerRoute(context, authRoutes.getSession, {
    handle: async ({ caller: { user, sessionToken } }) => {
      return toEnvelope('Session retrieved successfully.', {
        user: { name: user.name, email: user.email, is_operator: user.is_operator, role: user.role },
        csrf_token: sessionToken === null ? null : toCsrfToken(sessionToken),
      });
    },
  });
  registerRoute(context, authRoutes.getSignInOptions, {
    handle: async ({ request }) => {
      return toEnvelope('Options retrieved successfully.', {
        is_registration_open: config.isRegistrationOpen,
        sends_mails: config.mail.smtpUrl !== undefined,
        has_session: findSessionToken(request, config) !== undefined,
      });
    },
  });
  registerRoute(context, authRoutes.logout, {
    handle: async ({ caller, actor, request, reply }) => {
      const isSession = caller.sessionToken !== null;
      const { user, tokenId } = caller;
      await db.transactionFor(user.id, async (tx) => {
        const isDone = await deleteToken(tx, user.id, tokenId, { isSession });
        const target = { type: 'account', id: user.id };
        if (isDone) await recordAudit(tx, actor, { action: 'account.sign_out', target });
      });
      if (isSession) takeSession(request, reply, config);
      return toEnvelope('Logged out successfully.', null);
    },
  });
};

const registerPasswordReset = (context: RouteContext): void => {
  const { db, passwords } = context.services;
  registerRoute(context, authRoutes.setPassword, {
    handle: async ({ body: { code, password }, request }) => {
      assertUncommon('password', password);
      if (!(await usePasswordCode(db, { code, address: request.ip }, () => passwords.hash(password))))
        throw ValidationError.of(
          'code',
          'The link was used before or has expired.',
          'Ask the operator for another one.',
        );
      return toEnvelope('Your password has been set. Sign in with it.', null);
    },
  });
  registerRoute(context, authRoutes.forgotPassword, {
    handle: async ({ body: { email }, request }) => {
      await requestResetCode(context.services, { email, address: request.ip });
      return toEnvelope('If this address has an account, a code has been sent to it.', null);
    },
  });
  registerRoute(context, authRoutes.resetPassword, {
    handle: async ({ body: { email, code, password }, request }) => {
      // Before the code is tried: a refusal uses up no try.
      assertUncommon('password', password);
      const reset = await tryResetCode(db, { email, code, caller: toAddressKey(request.ip) });
      if (!reset) throw wrongCode();
      if (reset.status !== AccountStatus.ACTIVE) throw new AppError('account_suspended');
      const newHash = await passwords.hash(password);
      const by = { actor: toUserActor(reset.id, request.ip), action: 'password.reset' } as const;
      const replacement = { user: reset, oldHash: reset.password_hash, newHash, hasReadMail: true, by };
      const isReplaced = await replacePassword(db, replacement);
      if (!isReplaced) throw wrongCode();
      return toEnvelope('Your password has been reset.', null);
    },
  });
};
