/** The audit log: who did what to what, and what it changed. */
import { Nullable, OneOf, orNull, Timestamp, Type, Uuid, type Static } from '../schema.ts';
import { auditActorKinds, auditResults } from './values.ts';

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
  result: OneOf(auditResults, { description: '`refused`: a sign-in that failed' }),
});
/** A row of the audit log. */
export type AuditEntry = Static<typeof AuditEntry>;
