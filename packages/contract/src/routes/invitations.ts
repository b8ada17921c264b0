import { parseIsoDateTime } from '../dates.ts';
import type { FieldError } from '../errors.ts';
import { Envelope, Null, Type } from '../schema.ts';
import { Invitation } from '../users/resources.ts';
import { Email } from './auth.ts';
import { defineRoute } from './route.ts';
import { settings } from './users.ts';

const operator = { tag: 'Users (operator)', auth: 'operator' } as const;
const INVITATIONS = '/v1/operator/invitations';
const MAX_DAYS = 90;
const DAY_MS = 86_400_000;

const findExpiryErrors = ({ expires_at: text }: Record<string, unknown>, now: Date): FieldError[] => {
  const at = typeof text === 'string' ? parseIsoDateTime(text) : undefined;
  if (!at) return [];
  if (at <= now) return [{ field: 'expires_at', text: 'The expires at field must be a date after now.' }];
  const isLate = at.getTime() > now.getTime() + MAX_DAYS * DAY_MS;
  return isLate ? [{ field: 'expires_at', text: `The expires at field must be within ${MAX_DAYS} days.` }] : [];
};

export const invitationRoutes = {
  listInvitations: defineRoute({
    ...operator,
    ability: 'read',
    method: 'GET',
    url: INVITATIONS,
    summary: 'List the invitations that can still be accepted, newest first',
    response: Envelope(Type.Array(Invitation)),
  }),
  createInvitation: defineRoute({
    ...operator,
    ability: 'write',
    method: 'POST',
    audit: 'invitation.create',
    url: INVITATIONS,
    summary: 'Invite somebody: a link with which they create an account, once; also where registration is closed',
    isStrict: true,
    errors: ['too_many_invitations'],
    body: Type.Object({
      email: Type.Optional(Email),
      ...settings,
      expires_at: Type.Optional(
        Type.String({ isoDateTime: true, description: 'ISO 8601; a week from now if it is left out, at most 90 days' }),
      ),
    }),
    rules: ({ body }, now) => findExpiryErrors(body, now),
    response: Envelope(
      Type.Object({
        /** What was offered. */
        invitation: Invitation,
        url: Type.String({ description: 'Shown only this once: whoever has it can accept the invitation' }),
      }),
    ),
  }),
  deleteInvitation: defineRoute({
    ...operator,
    ability: 'delete',
    method: 'DELETE',
    audit: 'invitation.delete',
    url: `${INVITATIONS}/:invitation_id`,
    summary: 'Revoke an invitation',
    response: Envelope(Null),
  }),
};
