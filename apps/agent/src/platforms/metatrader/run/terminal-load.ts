import type { LinkState } from '@berth/contract/values';
import type { Processes } from '../../../launchers/launcher.ts';
import type { TerminalLoad } from '../../driver.ts';
import type { RecordFile } from '../record.ts';
import type { FolderSize } from './folder-size.ts';
import type { LiveTerminal } from './live-terminal.ts';

interface MeasuredParts {
  record: Pick<RecordFile, 'get'>;
  live: Pick<LiveTerminal, 'view' | 'isAlive'>;
}

/** Its connection to the trading server; the ping is the last one in the journal. */
const toLink = ({ record, live }: MeasuredParts): { link: LinkState; pingMs: number | null } => {
  if (!record.get().shouldRun) return { link: 'stopped', pingMs: null };
  const { login } = live.view;
  return live.isAlive() && login.state === 'in' ? { link: 'up', pingMs: login.pingMs } : { link: 'down', pingMs: null };
};

/** The terminal's current usage; undefined before its installation. */
export const measureTerminal = async (
  parts: MeasuredParts,
  { processes, size }: { processes: Pick<Processes, 'measure'>; size: FolderSize },
): Promise<TerminalLoad | undefined> => {
  if (!parts.record.get().isInstalled) return undefined;
  const diskBytes = size.look();
  const { memoryBytes = null, cpuMs = null } = (await processes.measure?.()) ?? {};
  const { view } = parts.live;
  return { ...toLink(parts), memoryBytes, cpuMs, diskBytes, build: parts.live.isAlive() ? view.build : null };
};
