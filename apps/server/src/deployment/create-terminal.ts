import { TaskType, type Static, type TerminalItem, type terminalRoutes } from '@berth/contract';
import type { User } from '../tokens/callers.ts';
import type { ServerConfig } from '../config.ts';
import type { Creation, Database, Transaction } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import { ValidationError } from '../errors.ts';
import { findProject } from '../projects/queries.ts';
import type { Vault } from '../secrets/vault.ts';
import type { Restoration } from '../snapshots/restoring.ts';
import { TERMINAL_BYTES, toTaskBytes } from '../storage/budget.ts';
import { noteTransitions, type TerminalTransition } from '../terminals/changes.ts';
import { insertTerminal } from '../terminals/insert.ts';
import { countOwnTerminalsLocked } from '../terminals/queries.ts';
import { findSameAccountWarnings } from '../terminals/same-account.ts';
import { storePassword } from '../terminals/secrets.ts';
import { closedRegion, unknownPlatform, unknownProject, unknownRegion } from '../validation/unknown-choices.ts';
import { isUuid } from '../validation/uuid.ts';
import { createServiceTask, type RoomParts, type TaskCreationParts } from '../tasks/create-task.ts';
import {
  choosePlatform,
  chooseRegion,
  listRegionCapacity,
  reserveHostInTurn,
  type RegionCapacity,
} from './placement.ts';
import { findRestoration, restoreWithin } from './restoration.ts';

/** How many terminals a user may have: as an operator has set it, or as the plan allows; undefined: any number. */
export const toTerminalLimit = (
  { terminalLimits }: Pick<ServerConfig, 'terminalLimits'>,
  { terminal_limit: given, plan }: Pick<User, 'terminal_limit' | 'plan'>,
): number | undefined => given ?? terminalLimits.get(plan);

export type CreateTerminalInput = Static<(typeof terminalRoutes)['createTerminal']['body']>;

export interface TerminalCreationParts extends TaskCreationParts, RoomParts {
  db: Database;
  vault: Vault;
  config: Pick<ServerConfig, 'defaultRegion' | 'defaultPlatform' | 'terminalLimits'>;
}

export interface Place {
  region: number;
  /** Its owner chose none: until it gets a host, it may come to another one. */
  isRegionOpen: boolean;
  platform: string;
  projectId: string;
}

/** What a new terminal adds to what its owner stores. */
export const toCreationBytes = (restoration: Restoration | undefined): number =>
  (restoration?.tasks ?? []).reduce((sum, { payload }) => sum + toTaskBytes(payload), TERMINAL_BYTES);

/** MetaTrader account numbers consist of digits. */
const assertLoginOf = (platform: string, login: string): void => {
  if (platform !== 'sandbox' && !/^\d+$/.test(login)) {
    throw ValidationError.of('login', 'The login field must contain only digits on this platform.');
  }
};

/** @throws ValidationError on an unknown region, project or platform, or a login that the platform cannot have */
export const findPlace = async (
  { db, config }: Pick<TerminalCreationParts, 'db' | 'config'>,
  user: User,
  input: CreateTerminalInput,
  regions: RegionCapacity[],
): Promise<Place> => {
  const allowed = regions.filter(({ region: id }) => user.region_ids?.includes(id) ?? true);
  const accepting = allowed.filter((region) => region.accepts_terminals);
  if (accepting.length === 0) throw closedRegion([]);
  const { region, isOpen } =
    input.region === undefined
      ? chooseRegion(accepting, config.defaultRegion, input.platform)
      : { region: input.region, isOpen: false };
  const found = allowed.find((candidate) => candidate.region === region);
  if (!found) throw unknownRegion();
  if (!found.accepts_terminals) throw closedRegion(accepting);
  const projectId = input.project_id ?? user.default_project_id;
  const isOwn =
    input.project_id === undefined || (isUuid(projectId) && (await findProject(db, user.id, projectId)) !== undefined);
  if (!isOwn) throw unknownProject('project_id');
  const platform = choosePlatform(found.platforms, input.platform, config.defaultPlatform);
  if (platform === undefined) throw unknownPlatform(found.platforms);
  assertLoginOf(platform, input.login);
  // While it waits, no other region is looked at for a user who has not all of them.
  return { region, isRegionOpen: isOpen && user.region_ids === null, platform, projectId };
};

/**
 * The terminal, its sealed password, its TERMINAL_INSTALL task and those of its snapshot: all or nothing. Without a host it waits for one.
 * @returns also what the caller records: once, for all that it creates
 */
export const insertWithTask = async (
  tx: Transaction,
  parts: TerminalCreationParts,
  user: User,
  input: CreateTerminalInput,
  { hostId, restoration, ...place }: Place & { hostId: string | null; restoration?: Restoration | undefined },
): Promise<{ terminal: TerminalItem; moved: TerminalTransition }> => {
  const where = place.isRegionOpen ? 'in any region' : 'in this region';
  const statusReason = hostId === null ? `Waiting for a host with free capacity ${where}.` : null;
  const terminal = await insertTerminal(tx, {
    id: createId(),
    userId: user.id,
    projectId: place.projectId,
    hostId,
    region: place.region,
    platform: place.platform,
    name: input.name ?? input.login,
    serverName: input.server_name,
    login: input.login,
    statusReason,
    isRegionOpen: place.isRegionOpen && hostId === null,
    labels: input,
  });
  const { id, name, status } = terminal;
  await storePassword(tx, parts.vault, id, input.password);
  const install = await createServiceTask(tx, parts, {
    userId: user.id,
    terminalId: id,
    type: TaskType.TERMINAL_INSTALL,
  });
  if (install.kind !== 'created') throw new Error('a new terminal refused its installation');
  if (restoration)
    await restoreWithin(tx, parts, { userId: user.id, terminalId: id, installId: install.id }, restoration);
  return { terminal, moved: { id, user_id: user.id, name, from_status: null, status, status_reason: statusReason } };
};

/**
 * Creates a terminal and its installation; the deployment continues after the answer.
 * @returns the terminal and warnings to add to the answer, or `limit` when the plan allows no further one
 * @throws ValidationError on what cannot be chosen (`findPlace`, `findRestoration`), and on an external id that is taken
 */
export const createTerminal = async (
  parts: TerminalCreationParts,
  user: User,
  input: CreateTerminalInput,
  creation: Creation,
): Promise<{ terminal: TerminalItem; warnings: string[] } | { limit: number }> => {
  const place = await findPlace(parts, user, input, await listRegionCapacity(parts.db));
  const restoration = await findRestoration(parts.db, user.id, input);
  const limit = toTerminalLimit(parts.config, user);
  await parts.storage.assertRoom(user.id, toCreationBytes(restoration));
  const created = await creation.within(async (tx) => {
    // Counted even without a limit: of two concurrent creations, the later one must see the other's account.
    const total = await countOwnTerminalsLocked(tx, user.id);
    if (limit !== undefined && total >= limit) return undefined;
    const hostId = (await reserveHostInTurn(tx, place.region, place.platform)) ?? null;
    const { terminal, moved } = await insertWithTask(tx, parts, user, input, { ...place, hostId, restoration });
    await noteTransitions(tx, [moved]);
    const warnings = await findSameAccountWarnings(tx, { userId: user.id, terminalIds: [terminal.id] });
    return { terminal, warnings: [...warnings.values()] };
  });
  if (!created) return { limit: limit ?? 0 };
  return created;
};
