import { Envelope, Null, Type } from '../schema.ts';
import { defineRoute } from './route.ts';

export const Email = Type.String({ format: 'email', maxLength: 255 });
export const NewPassword = Type.String({ minLength: 6, maxLength: 1024 });

const Session = Type.Object({
  user: Type.Object({ name: Type.String(), email: Type.String() }),
  token: Type.String({ description: '`<id>|<secret>`, shown only this once' }),
  token_type: Type.Literal('Bearer'),
});

export const authRoutes = {
  register: defineRoute({
    method: 'POST',
    url: '/v1/auth/register',
    summary: 'Create an account and a token',
    tag: 'Authentication',
    auth: 'none',
    body: Type.Object({ name: Type.String({ minLength: 3, maxLength: 255 }), email: Email, password: NewPassword }),
    response: Envelope(Session),
  }),
  login: defineRoute({
    method: 'POST',
    url: '/v1/auth/login',
    summary: 'Create a token from e-mail and password',
    tag: 'Authentication',
    auth: 'none',
    body: Type.Object({ email: Email, password: Type.String({ maxLength: 1024 }) }),
    response: Envelope(Session),
  }),
  logout: defineRoute({
    method: 'POST',
    url: '/v1/auth/logout',
    summary: 'Revoke the calling token',
    tag: 'Authentication',
    auth: 'user',
    response: Envelope(Null),
  }),
  forgotPassword: defineRoute({
    method: 'POST',
    url: '/v1/auth/forgot-password',
    summary: 'Mail a one-time code (15 minutes, 5 tries); the answer is the same for every address',
    tag: 'Authentication',
    auth: 'none',
    body: Type.Object({ email: Email }),
    response: Envelope(Null),
  }),
  resetPassword: defineRoute({
    method: 'POST',
    url: '/v1/auth/reset-password',
    summary: 'Set a new password with the mailed code; revokes every token',
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
