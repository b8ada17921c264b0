import { AuditEntry } from '../audit/resources.ts';
import { auditActorKinds } from '../audit/values.ts';
import { CursorPagination, FIRST_CURSOR, notEmpty, OneOf, perPageQuery, Type, Uuid } from '../schema.ts';
import { defineRoute } from './route.ts';
import { toTimeRangeErrors } from './terminals.ts';

/** Rows of one export; the next one goes on after the last of them. */
export const MAX_EXPORTED_ENTRIES = 100_000;

const filters = {
  action: Type.Optional(
    Type.String({
      ...notEmpty,
      maxLength: 64,
      description: 'Only this one: `webhook.create`; all that begin so, where it ends with a dot: `webhook.`',
    }),
  ),
  actor_kind: Type.Optional(OneOf(auditActorKinds, { description: 'Only what somebody did in this role' })),
  target: Type.Optional(
    Type.String({ ...notEmpty, maxLength: 64, description: 'Only what was done to the thing with this id' }),
  ),
  from: Type.Optional(Type.String({ isoDateTime: true, description: 'ISO 8601: only then or later' })),
  to: Type.Optional(Type.String({ isoDateTime: true, description: 'ISO 8601: only before' })),
  after: Type.Optional(
    Type.String({
      maxLength: 40,
      description: `Goes on after the row with this id (\`next_cursor\`); \`${FIRST_CURSOR}\`: from the newest`,
    }),
  ),
  ...perPageQuery(),
};

const list = {
  tag: 'Audit log',
  ability: 'read',
  method: 'GET',
  exports: ['text/csv', 'application/jsonl'],
  rules: toTimeRangeErrors,
  response: Type.Object({
    ok: Type.Literal(true),
    msg: Type.String(),
    data: Type.Array(AuditEntry),
    pagination: CursorPagination,
  }),
} as const;

export const auditRoutes = {
  listOwnAuditLog: defineRoute({
    ...list,
    auth: 'user',
    url: '/v1/my/audit-log',
    summary: 'List what you did, and what operators and the server did to what is yours, newest first',
    query: Type.Object(filters),
  }),
  listAuditLog: defineRoute({
    ...list,
    auth: 'operator',
    url: '/v1/operator/audit-log',
    needsConfirmation: ({ accept }) => /csv|jsonl/i.test(accept),
    summary: 'List what was done by whom, newest first',
    query: Type.Object({ actor: Type.Optional(Uuid('Only what this user did')), ...filters }),
  }),
};
