import { auditActorKinds, auditResults } from '../audit/values.ts';
import {
  CursorPagination,
  FIRST_CURSOR,
  notEmpty,
  Nullable,
  OneOf,
  orNull,
  perPageQuery,
  Timestamp,
  Type,
  Uuid,
  type Static,
} from '../schema.ts';
import { defineRoute } from './route.ts';
import { toTimeRangeErrors } from './terminals.ts';

/** Who did it. */
export const AuditActor = Type.Object({
  kind: OneOf(auditActorKinds, {
    description: '`user`: on what is theirs, `operator`: as an operator, `system`: the server itself',
  }),
  user_id: Nullable('string', { description: 'null: the server, or a command of the operator' }),
  name: Nullable('string', { description: 'The name of the user now; null: nobody, or the account is gone' }),
  token_id: Nullable<number>('integer', { description: 'The API token that was used' }),
  session_id: Nullable<number>('integer', { description: 'The session of a browser that was used' }),
});
export type AuditActor = Static<typeof AuditActor>;

/** What it was done to. */
export const AuditTarget = Type.Object({
  type: Type.String({ description: 'The kind of thing: `webhook`, `terminal`, `user`' }),
  id: Nullable('string', { description: 'null: there is one of it, or it was several' }),
});
export type AuditTarget = Static<typeof AuditTarget>;

const fields = (description: string) =>
  orNull(Type.Unsafe<Record<string, unknown>>({ additionalProperties: true }), { description });

/** A row of the audit log. */
export const AuditEntry = Type.Object({
  id: Uuid('Identifier; ids increase with time'),
  at: Timestamp(),
  user_id: Nullable('string', { description: 'Whose it is, or was; null: it belongs to nobody, as a host does' }),
  /** Who did it. */
  actor: AuditActor,
  address: Nullable('string', { description: 'Where the request came from; null: not from a request' }),
  action: Type.String({ description: '`<resource>.<verb>`', examples: ['webhook.create'] }),
  /** What it was done to. */
  target: AuditTarget,
  before: fields('What changed, as it was; null: it was not there. Secrets are `********`'),
  after: fields('What changed, as it is since; null: it is gone. Secrets are `********`'),
  result: OneOf(auditResults, {
    description: '`refused`: the password was wrong, at a sign-in or when it was asked for again',
  }),
});
/** A row of the audit log. */
export type AuditEntry = Static<typeof AuditEntry>;

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
