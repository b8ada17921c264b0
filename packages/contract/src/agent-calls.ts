/** What the calls of the agent protocol share. */
import { MAX_HOST_CALL_BYTES } from './agent-limits.ts';
import { Type, Uuid } from './schema.ts';

/** A call of a host. */
export const host = { tag: 'Agent protocol', auth: 'host', method: 'POST', input: 'verbatim' } as const;
/** Of calls that report everything on the host. */
export const reporting = { ...host, maxBodyBytes: MAX_HOST_CALL_BYTES } as const;
export const SessionId = Uuid('Session of the calling agent process');
/** Shows the agent that the answer is Berth's, and meant for it. */
export const session_id = Type.Optional(Uuid('Session that the answer is for'));
