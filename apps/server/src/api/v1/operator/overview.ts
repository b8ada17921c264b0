import { statfs } from 'node:fs/promises';
import { hostRoutes, HostStatus, type OperatorOverview } from '@berth/contract';
import type { ServerConfig } from '../../../config.ts';
import type { Queryable } from '../../../db/database.ts';
import { toTerminalLimit } from '../../../deployment/create-terminal.ts';
import { countWaitingAnyRegion, listRegionPlaces, listUserPlaces } from '../../../hosts/places.ts';
import { countHosts } from '../../../metrics/queries.ts';
import { findMailState } from '../../../mail/state.ts';
import { findBackupState, listAgentVersions, listHostsInTrouble, listLimitedUsers } from '../../../overview/state.ts';
import { listStuckTasks, readFailedTasks } from '../../../overview/tasks.ts';
import { toQuotaBytes } from '../../../storage/budget.ts';
import { VERSION } from '../../../version.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

type Stored = Omit<OperatorOverview, 'version' | 'public_url' | 'data_directory' | 'installer_sha256' | 'disk'>;

const MIB = 1024 * 1024;

/** One after another: an operator's page may wait, and leaves a connection to others. */
const readStored = async (db: Queryable, config: ServerConfig): Promise<Stored> => {
  const hosts = await countHosts(db);
  const users = await listUserPlaces(db);
  const limits = {
    toTerminals: (uses: Parameters<typeof toTerminalLimit>[1]) => toTerminalLimit(config, uses),
    toBytes: (uses: Parameters<typeof toQuotaBytes>[1]) => toQuotaBytes(config, uses),
  };
  const count = (status: HostStatus) => hosts.find((row) => row.status === status)?.total ?? 0;
  return {
    hosts: {
      enrolled: count(HostStatus.ENROLLED),
      online: count(HostStatus.ONLINE),
      offline: count(HostStatus.LOST),
      retired: count(HostStatus.RETIRED),
    },
    regions: await listRegionPlaces(db),
    waiting_any_region: await countWaitingAnyRegion(db),
    users,
    agents: await listAgentVersions(db),
    hosts_in_trouble: await listHostsInTrouble(db),
    stuck_tasks: await listStuckTasks(db),
    failed_tasks: await readFailedTasks(db),
    backup: (await findBackupState(db)) ?? null,
    mail: (await findMailState(db)) ?? null,
    limited_users: await listLimitedUsers(db, users, limits),
  };
};

const readDisk = async (folder: string): Promise<OperatorOverview['disk']> => {
  const { bsize, blocks, bavail } = await statfs(folder);
  const toMegabytes = (count: number): number => Math.floor((count * bsize) / MIB);
  return { total_mb: toMegabytes(blocks), available_mb: toMegabytes(bavail) };
};

export const registerOperatorOverviewRoutes = (context: RouteContext): void => {
  const { db, config } = context.services;
  registerRoute(context, hostRoutes.getOperatorOverview, {
    handle: async ({ caller }) => {
      const read = () => readStored(db.slowFor(caller.user.id), config);
      const stored = await db.shared.read('operator overview', read);
      const { publicUrl, dataDir } = config;
      const own = {
        version: VERSION,
        public_url: publicUrl ?? null,
        data_directory: dataDir,
        installer_sha256: context.installerSha256 ?? null,
      };
      const overview = { ...own, disk: await readDisk(dataDir), ...stored };
      return toEnvelope('Overview retrieved successfully.', overview);
    },
  });
};
