import { HostStatus, type HostStatusName } from '@berth/contract/values';
import type { Host, Region } from '@berth/client';
import { Ellipsis } from 'lucide-react';
import { Button } from '../../parts/button.tsx';
import { Menu, MenuItem } from '../../parts/menu.tsx';
import { StatusMark, type Tone } from '../../parts/status-mark.tsx';
import { Time } from '../../parts/time.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { Flag } from './flag.tsx';
import { HostOffers } from './host-offers.tsx';
import { SizeUsage, SlotUsage } from './host-usage.tsx';

const words = pageTexts.hosts;

const tones: Record<HostStatusName, Tone> = { ENROLLED: 'wait', ONLINE: 'good', LOST: 'cut', RETIRED: 'rest' };

const toStatusName = (status: Host['status']): HostStatusName =>
  (Object.keys(HostStatus) as HostStatusName[]).find((name) => HostStatus[name] === status) ?? 'ENROLLED';

export interface HostCardProps {
  host: Host;
  region: Region | undefined;
  onTerminals: (host: Host) => void;
  onRetire: (host: Host) => void;
}

const Head = ({ host, region, onRetire }: Omit<HostCardProps, 'onTerminals'>) => {
  const status = toStatusName(host.status);
  return (
    <header className="flex items-start justify-between gap-3">
      <div className="min-w-0">
        <h2 className="truncate">
          <bdi>{host.name}</bdi>
        </h2>
        <small className="block">
          {region === undefined ? null : (
            <>
              <Flag region={region} />
              {region.label} ·{' '}
            </>
          )}
          {words.lastSeen} {host.last_seen_at === null ? words.never : <Time at={host.last_seen_at} />}
        </small>
      </div>
      <div className="host-tools">
        <StatusMark tone={tones[status]}>{words.statuses[status]}</StatusMark>
        {status === 'RETIRED' ? null : (
          <Menu trigger={<Button kind="bare" icon={<Ellipsis />} aria-label={words.more(host.name)} />}>
            <MenuItem isDangerous onSelect={() => onRetire(host)}>
              {words.retireMenu}
            </MenuItem>
          </Menu>
        )}
      </div>
    </header>
  );
};

/** What a host that is online says of its machine; of one that is offline, what that means for its terminals. */
const Machine = ({ host }: { host: Host }) => {
  if (host.status === HostStatus.LOST) return <p className="text-ink-2">{words.offlineText(host.terminals)}</p>;
  if (host.status !== HostStatus.ONLINE) return null;
  return (
    <>
      <SizeUsage name={words.memory} totalMb={host.memory_total_mb} availableMb={host.memory_available_mb} />
      <SizeUsage name={words.disk} totalMb={host.disk_total_mb} availableMb={host.disk_available_mb} />
    </>
  );
};

/** A machine: whether it is online, how many slots it has, and what it runs. */
export const HostCard = ({ host, region, onTerminals, onRetire }: HostCardProps) => (
  <li className="card host">
    <Head host={host} region={region} onRetire={onRetire} />
    {host.status === HostStatus.RETIRED ? null : <SlotUsage host={host} />}
    <Machine host={host} />
    <HostOffers host={host} />
    <footer className="flex items-center justify-between gap-3">
      <small className="truncate">
        {host.agent_version === null ? '' : <bdi>{words.version(host.agent_version)}</bdi>}
      </small>
      {host.terminals === 0 ? null : (
        <Button aria-label={words.terminalsOn(host.terminals, host.name)} onClick={() => onTerminals(host)}>
          {words.terminals(host.terminals)}
        </Button>
      )}
    </footer>
  </li>
);
