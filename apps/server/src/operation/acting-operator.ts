import { hasRole, type OperatorRole } from '@berth/contract';
import { commandActor, type Actor } from '../audit/record.ts';

/** Who changes what is not theirs: an operator by a route, or whoever runs a command on the server's machine. */
export interface ActingOperator {
  /** For the audit log. */
  actor: Actor;
  /** Null: a command. Whoever can run one has the database, and so may do what an owner may. */
  user: { id: string; role: OperatorRole | null } | null;
}

export const commandOperator: ActingOperator = { actor: commandActor, user: null };

export const isOwner = ({ user }: ActingOperator): boolean => user === null || hasRole(user.role, 'owner');
