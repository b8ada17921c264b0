import { HostStatus, type HostStatusName } from '@berth/contract/values';
import type { Host, Region } from '@berth/client';
import { useWhyNot } from '../../data/session.ts';
import { Button } from '../../parts/button.tsx';
import { MenuItem } from '../../parts/menu.tsx';
import { MoreMenu } from '../../parts/more-menu.tsx';
import { StatusMark, type Tone } from '../../parts/status-mark.tsx';
import { Time } from '../../parts/time.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { DrainProgress } from './drain-progress.tsx';
import { Flag } from './flag.tsx';
import type { Ask } from './host-dialogs.tsx';
import { HostOffers } from './host-offers.tsx';
import { SizeUsage, SlotUsage } from './host-usage.tsx';
import { useCordon } from './hosts-data.ts';

const words = pageTexts.hosts;

const tones: Record<HostStatusName, Tone> = { ENROLLED: 'wait', ONLINE: 'good', LOST: 'cut', RETIRED: 'rest' };

const toStatusName = (status: Host['status']): HostStatusName =>
  (Object.keys(HostStatus) as HostStatusName[]).find((name) => HostStatus[name] === status) ?? 'ENROLLED';

export interface HostCardProps {
  host: Host;
  region: Region | undefined;
  onTerminals: (host: Host) => void;
  onAsk: Ask;
}

const Actions = ({ host, onAsk }: Pick<HostCardProps, 'host' | 'onAsk'>) => {
  const cordon = useCordon();
  const whyNot = useWhyNot('operator');
  const isDraining = Boolean(host.drain);
  return (
    <MoreMenu label={words.more(host.name)}>
      <MenuItem whyNot={whyNot} onSelect={() => onAsk('settings', host)}>
        {words.settingsMenu}
      </MenuItem>
      <MenuItem onSelect={() => onAsk('usage', host)}>{words.usageMenu}</MenuItem>
      {isDraining ? null : (
        <MenuItem whyNot={whyNot} onSelect={() => cordon.run(host)}>
          {host.cordoned ? words.uncordon : words.cordon}
        </MenuItem>
      )}
      <MenuItem whyNot={whyNot} onSelect={() => onAsk('drain', host)}>
        {isDraining ? words.changeDrainMenu : words.drainMenu}
      </MenuItem>
      {isDraining ? (
        <MenuItem whyNot={whyNot} onSelect={() => onAsk('endDrain', host)}>
          {words.endDrainMenu}
        </MenuItem>
      ) : null}
      <MenuItem isDangerous whyNot={whyNot} onSelect={() => onAsk('retire', host)}>
        {words.retireMenu}
      </MenuItem>
    </MoreMenu>
  );
};

/** A host that is online and takes nothing new says so instead. */
const Status = ({ host }: { host: Host }) => {
  const status = toStatusName(host.status);
  if (status === 'ONLINE' && host.drain) return <StatusMark tone="wait">{words.draining}</StatusMark>;
  if (status === 'ONLINE' && host.cordoned) return <StatusMark tone="rest">{words.cordoned}</StatusMark>;
  return <StatusMark tone={tones[status]}>{words.statuses[status]}</StatusMark>;
};

const Head = ({ host, region, onAsk }: Omit<HostCardProps, 'onTerminals'>) => {
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
        <Status host={host} />
        {host.status === HostStatus.RETIRED ? null : <Actions host={host} onAsk={onAsk} />}
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
export const HostCard = ({ host, region, onTerminals, onAsk }: HostCardProps) => (
  <li className="card host">
    <Head host={host} region={region} onAsk={onAsk} />
    {host.status === HostStatus.RETIRED ? null : <SlotUsage host={host} />}
    <DrainProgress host={host} />
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
