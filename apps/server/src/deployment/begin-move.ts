/** How a move of a terminal begins: what speaks against it, and where it goes. The rest is in `moves.ts`. */
import { AccountStatus, HostStatus, TaskType, TerminalStatus, type Static, type moveRoutes } from '@berth/contract';
import type { User } from '../tokens/callers.ts';
import { sql, type Queryable, type Transaction } from '../db/database.ts';
import { AppError, ValidationError } from '../errors.ts';
import { createServiceTask, type RoomParts, type TaskCreationParts } from '../tasks/create-task.ts';
import { insertMove, listLeftHosts, type MoveRow } from '../terminals/moves.ts';
import { lockOwnTerminal, lockUser } from '../terminals/queries.ts';
import { closedRegion, unknownRegion } from '../validation/unknown-choices.ts';
import { isUuid } from '../validation/uuid.ts';
import { listRegionCapacity, reserveHost, reserveHostInTurn } from './placement.ts';
import { toCreationBytes } from './create-terminal.ts';
import { toIsByOperator } from '../accounts/closing.ts';
import { readRestoration } from './restoration.ts';

export type Destination = Static<(typeof moveRoutes)['moveTerminal']['body']>;

const findStatement = sql(
  'find_terminal_to_move',
  `select t.status, t.host_id, t.region_id as region, t.platform, t.locked_reason is not null as is_locked,
     coalesce((select h.status = ${HostStatus.ONLINE} from hosts h where h.id = t.host_id), false) as is_reachable,
     exists (select from terminal_secrets s where s.terminal_id = t.id and s.field = 'password') as has_password,
     exists (select from terminal_moves m where m.terminal_id = t.id) as is_moving,
     (select ${toIsByOperator('s')} from trading_stops s where s.user_id = t.user_id) as is_stopped_by_operator
   from terminals t where t.id = $1 and t.user_id = $2 and t.deleted_at is null`,
);

interface Found {
  status: TerminalStatus;
  host_id: string | null;
  region: number;
  platform: string;
  is_locked: boolean;
  is_reachable: boolean;
  has_password: boolean;
  is_moving: boolean;
  /** Null: trading is not stopped. */
  is_stopped_by_operator: boolean | null;
}

const STOPPED_BY_OPERATOR = 'An administrator stopped all algo trading while the account was suspended.';
const OUT_OF_REACH = 'Its host is out of reach, and it may still run there. Try again when the host is back.';
const INSTALLING = 'Wait until it is installed.';
const GOING = 'It is being deleted.';

/** A terminal is moved while it runs and has an account: its login on the new host shows that the move worked. */
const refusals: Record<TerminalStatus, string | undefined> = {
  [TerminalStatus.PENDING]: INSTALLING,
  [TerminalStatus.INSTALLING]: INSTALLING,
  [TerminalStatus.CONNECTING]: undefined,
  [TerminalStatus.ACTIVE]: undefined,
  [TerminalStatus.DISCONNECTED]: undefined,
  [TerminalStatus.STOPPED]: 'It does not run. Start it or log in first.',
  [TerminalStatus.LOGIN_FAILED]: 'It is not logged in. Log in with the right password first.',
  [TerminalStatus.FAILED]: 'Its installation failed. Delete it and create it again.',
  [TerminalStatus.DESTROYING]: GOING,
  [TerminalStatus.DESTROYED]: GOING,
  [TerminalStatus.UNREACHABLE]: OUT_OF_REACH,
};

const toRefusal = (found: Found): string | undefined => {
  if (found.is_moving) return 'It is being moved already.';
  const refusal = refusals[found.status];
  if (refusal !== undefined) return refusal;
  if (!found.is_reachable) return OUT_OF_REACH;
  if (found.is_stopped_by_operator) return `${STOPPED_BY_OPERATOR} End that stop first.`;
  if (found.is_stopped_by_operator === false) return 'All algo trading is stopped. End that stop first.';
  if (!found.has_password) return 'No password is stored, so it could not log in. Log in with the password first.';
  return undefined;
};

const hostStatement = sql(
  'find_host_to_move_to',
  `select status, region_id as region, platforms, cordoned_at is not null as is_cordoned from hosts
   where id = $1 and status <> ${HostStatus.RETIRED}`,
);

interface Host {
  status: HostStatus;
  region: number;
  platforms: string[];
  is_cordoned: boolean;
}

type Reserved = { hostId: string; region: number };

const reserveNamed = async (tx: Queryable, id: string, hostId: string, found: Found): Promise<Reserved> => {
  const refuse = (text: string) => ValidationError.of('host_id', text);
  const [host] = isUuid(hostId) ? await tx.query<Host>(hostStatement, [hostId]) : [];
  if (!host) throw refuse('The selected host id is invalid.');
  if (hostId.toLowerCase() === found.host_id) throw refuse('The terminal is on this host.');
  if (host.status !== HostStatus.ONLINE) throw refuse('The host is offline.');
  if (host.is_cordoned) throw refuse('The host takes no terminals at the moment.');
  if (!host.platforms.includes(found.platform)) throw refuse(`The host runs no ${found.platform} terminals.`);
  if ((await listLeftHosts(tx, id)).has(hostId.toLowerCase())) {
    throw refuse('The host still removes what the terminal left there. Try again later.');
  }
  const reserved = await reserveHost(tx, host.region, found.platform, { terminalId: id, hostId });
  if (reserved === undefined) throw refuse('The host has no free slot.');
  return { hostId: reserved, region: host.region };
};

const reserveInRegion = async (
  tx: Queryable,
  user: Pick<User, 'region_ids'>,
  id: string,
  { region, found }: { region: number; found: Found },
): Promise<Reserved> => {
  const allowed = (await listRegionCapacity(tx)).filter((each) => user.region_ids?.includes(each.region) ?? true);
  const asked = allowed.find((each) => each.region === region);
  if (!asked) throw unknownRegion();
  if (!asked.accepts_terminals) throw closedRegion(allowed.filter((each) => each.accepts_terminals));
  const hostId = await reserveHostInTurn(tx, region, found.platform, id);
  if (hostId !== undefined) return { hostId, region };
  const text = `No other host of the region has a free slot for ${found.platform} terminals.`;
  throw ValidationError.of('region', text, 'Wait for one, or choose another region.');
};

/** Only operators say which host: others know none. */
const mayNameHosts = ({ is_operator: isOperator, role }: Pick<User, 'is_operator' | 'role'>): boolean =>
  isOperator && role !== 'viewer';

const refused = (text: string): AppError => new AppError('terminal_not_movable', { resource: text });

/**
 * Reserves a slot on another host, and asks the one that has the terminal to stop it.
 * @throws AppError not_found, account_suspended, account_locked, terminal_not_movable, storage_full; ValidationError on
 *   `region` or `host_id`
 */
export const beginMove = async (
  tx: Transaction,
  parts: TaskCreationParts & RoomParts,
  { user, terminalId: id, to }: { user: User; terminalId: string; to: Destination },
): Promise<MoveRow> => {
  if (to.host_id !== undefined && !mayNameHosts(user)) {
    throw ValidationError.of('host_id', 'Only operators choose a host. Choose a region.');
  }
  if ((await lockUser(tx, user.id))?.status !== AccountStatus.ACTIVE) throw new AppError('account_suspended');
  if (!(await lockOwnTerminal(tx, user.id, id))) throw AppError.notFound('Terminal');
  const [found] = await tx.query<Found>(findStatement, [id, user.id]);
  if (!found) throw AppError.notFound('Terminal');
  const refusal = toRefusal(found);
  if (refusal !== undefined) throw refused(refusal);
  if (found.is_locked) throw new AppError('account_locked');
  const restoration = await readRestoration(tx, user.id, id);
  if (restoration.missing.length > 0) {
    throw refused(`It needs a file that was deleted: of ${restoration.missing[0]}. Upload the same file again.`);
  }
  await parts.storage.assertRoom(user.id, toCreationBytes(restoration));
  const { hostId, region } =
    to.host_id === undefined
      ? await reserveInRegion(tx, user, id, { region: to.region!, found })
      : await reserveNamed(tx, id, to.host_id, found);
  const stop = await createServiceTask(tx, parts, { userId: user.id, terminalId: id, type: TaskType.TERMINAL_STOP });
  if (stop.kind !== 'created') throw refused(stop.kind === 'refused' ? stop.reason : GOING);
  return insertMove(tx, { terminalId: id, hostId, region, proofTaskId: stop.id });
};
