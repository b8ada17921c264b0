import type { LinkState } from '@berth/contract/values';
import type { FolderSize } from '../../../launchers/folder-size.ts';
import type { Processes } from '../../../launchers/launcher.ts';
import type { TerminalLoad } from '../../driver.ts';
import type { TerminalParts } from '../parts.ts';

/** How it stands to its trading server; the ping is the journal's last word about it. */
const toLink = ({
  record,
  live,
}: Pick<TerminalParts, 'record' | 'live'>): { link: LinkState; pingMs: number | null } => {
  if (!record.get().shouldRun) return { link: 'stopped', pingMs: null };
  const { login } = live.view;
  return live.isAlive() && login.state === 'in' ? { link: 'up', pingMs: login.pingMs } : { link: 'down', pingMs: null };
};

/** What the terminal takes right now; undefined before its installation. */
export const measureTerminal = async (
  parts: Pick<TerminalParts, 'record' | 'live'>,
  { processes, size }: { processes: Pick<Processes, 'measure'>; size: FolderSize },
): Promise<TerminalLoad | undefined> => {
  if (!parts.record.get().isInstalled) return undefined;
  const diskBytes = size.look();
  const { memoryBytes = null, cpuMs = null } = (await processes.measure?.()) ?? {};
  return { ...toLink(parts), memoryBytes, cpuMs, diskBytes };
};
