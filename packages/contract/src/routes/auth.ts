import { Envelope, Null, Nullable, Type } from '../schema.ts';
import { Role } from '../users/resources.ts';
import { defineRoute } from './route.ts';

export const Email = Type.String({ format: 'email', maxLength: 255 });
export const NewPassword = Type.String({
  minLength: 6,
  maxLength: 1024,
  description: 'The most common passwords are refused',
});

const Person = Type.Object({ name: Type.String(), email: Type.String() });

const Session = Type.Object({
  user: Person,
  token: Type.String({ description: '`<id>|<secret>`, shown only this once' }),
  token_type: Type.Literal('Bearer'),
});

/** A program's login has a token; a browser's has a cookie, and the CSRF value for its changes. */
const TokenOrSession = Type.Object({
  user: Person,
  token: Type.Optional(Session.properties.token),
  token_type: Type.Optional(Session.properties.token_type),
  csrf_token: Type.Optional(Type.String({ description: 'For the header `X-Berth-Csrf`; only with `session`' })),
});

const AsSession = Type.Optional(
  Type.Boolean({ description: 'true: a session for a browser, in a cookie, instead of a token' }),
);

export const authRoutes = {
  register: defineRoute({
    method: 'POST',
    audit: 'account.create',
    url: '/v1/auth/register',
    summary: 'Create an account and a token',
    limit: 'credentials',
    tag: 'Authentication',
    auth: 'none',
    errors: ['registration_closed'],
    body: Type.Object({ name: Type.String({ minLength: 3, maxLength: 255 }), email: Email, password: NewPassword }),
    response: Envelope(Session),
  }),
  login: defineRoute({
    method: 'POST',
    audit: 'account.sign_in',
    url: '/v1/auth/login',
    summary: 'Create a token from e-mail and password',
    limit: 'credentials',
    tag: 'Authentication',
    auth: 'none',
    errors: ['account_suspended', 'not_from_our_page'],
    body: Type.Object({ email: Email, password: Type.String({ maxLength: 1024 }), session: AsSession }),
    response: Envelope(TokenOrSession),
  }),
  useSignInLink: defineRoute({
    method: 'POST',
    audit: 'account.sign_in',
    url: '/v1/auth/sign-in-link',
    summary: 'Begin a session with the code of a sign-in link, which works once',
    limit: 'credentials',
    tag: 'Authentication',
    auth: 'none',
    errors: ['not_from_our_page'],
    body: Type.Object({ code: Type.String({ maxLength: 128, description: 'What stands behind `#sign-in=`' }) }),
    response: Envelope(TokenOrSession),
  }),
  setPassword: defineRoute({
    method: 'POST',
    audit: 'password.set',
    url: '/v1/auth/set-password',
    summary: 'Set a password with the code of a link that an operator made, which works once; revokes every token',
    limit: 'credentials',
    tag: 'Authentication',
    auth: 'none',
    body: Type.Object({
      code: Type.String({ maxLength: 128, description: 'What stands behind `#password=`' }),
      password: NewPassword,
    }),
    response: Envelope(Null),
  }),
  acceptInvitation: defineRoute({
    method: 'POST',
    audit: 'account.create',
    url: '/v1/auth/accept-invitation',
    summary: 'Create an account with the code of an invitation, which works once; also where registration is closed',
    limit: 'credentials',
    tag: 'Authentication',
    auth: 'none',
    body: Type.Object({
      code: Type.String({ maxLength: 128, description: 'What stands behind `#invitation=`' }),
      name: Type.String({ minLength: 3, maxLength: 255 }),
      email: Type.Optional(
        Type.String({
          ...Email,
          description: 'Needed where the invitation is for no address; otherwise that address, or absent',
        }),
      ),
      password: NewPassword,
    }),
    response: Envelope(Person),
  }),
  getSession: defineRoute({
    method: 'GET',
    url: '/v1/auth/session',
    summary: 'Read who is signed in, and the value that changes with a cookie need',
    tag: 'Authentication',
    auth: 'user',
    ability: 'read',
    response: Envelope(
      Type.Object({
        user: Type.Object({ ...Person.properties, is_operator: Type.Boolean(), role: Role }),
        csrf_token: Nullable('string', { description: 'For the header `X-Berth-Csrf`; null for a token' }),
      }),
    ),
  }),
  getSignInOptions: defineRoute({
    method: 'GET',
    url: '/v1/auth/options',
    summary: 'Read what a sign-in page may offer',
    tag: 'Authentication',
    auth: 'none',
    response: Envelope(
      Type.Object({
        is_registration_open: Type.Boolean({ description: 'Whether anybody may create an account' }),
        sends_mails: Type.Boolean({ description: 'Whether codes are mailed; if not, the operator has them in files' }),
        has_session: Type.Boolean({ description: "Whether a session's cookie came along; it may be over" }),
      }),
    ),
  }),
  logout: defineRoute({
    method: 'POST',
    audit: 'account.sign_out',
    url: '/v1/auth/logout',
    summary: 'Revoke the calling token or end the session',
    tag: 'Authentication',
    auth: 'user',
    response: Envelope(Null),
  }),
  forgotPassword: defineRoute({
    method: 'POST',
    audit: 'password.request',
    url: '/v1/auth/forgot-password',
    summary: 'Mail a one-time code (15 minutes, 5 tries); the answer is the same for every address',
    limit: 'credentials',
    tag: 'Authentication',
    auth: 'none',
    body: Type.Object({ email: Email }),
    response: Envelope(Null),
  }),
  resetPassword: defineRoute({
    method: 'POST',
    audit: 'password.reset',
    url: '/v1/auth/reset-password',
    summary: 'Set a new password with the mailed code; revokes every token',
    limit: 'credentials',
    tag: 'Authentication',
    auth: 'none',
    body: Type.Object({
      email: Email,
      code: Type.String({ minLength: 1, maxLength: 64 }),
      password: NewPassword,
      password_confirmation: Type.String({ maxLength: 1024 }),
    }),
    rules: ({ body }) =>
      body.password === body.password_confirmation
        ? []
        : [{ field: 'password_confirmation', text: 'The password confirmation field must match password.' }],
    response: Envelope(Null),
  }),
};
