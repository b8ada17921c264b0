import { HostStatus, type HostStatusName } from '@berth/contract/values';
import type { Host, Region } from '@berth/client';
import { toAddress } from '../../data/address.ts';
import { Button } from '../../parts/button.tsx';
import { toBytesText } from '../../parts/bytes.ts';
import { Meter } from '../../parts/meter.tsx';
import { StatusMark, type Tone } from '../../parts/status-mark.tsx';
import { Time } from '../../parts/time.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { HostTerminals } from './host-terminals.tsx';

const words = pageTexts.hosts;
const MEGABYTE = 1024 * 1024;

const tones: Record<HostStatusName, Tone> = { ENROLLED: 'wait', ONLINE: 'good', LOST: 'cut', RETIRED: 'rest' };

const toStatusName = (status: Host['status']): HostStatusName =>
  (Object.keys(HostStatus) as HostStatusName[]).find((name) => HostStatus[name] === status) ?? 'ENROLLED';

/** The flag comes from this server, by the file name in the region's own URL. */
const toFlag = ({ icon }: Region): string => toAddress(`/flags/${icon.split('/').at(-1) ?? ''}`);

const Slots = ({ host }: { host: Host }) => {
  const slots = host.places ?? host.capacity;
  const text = words.slotsText(host.terminals, slots);
  return (
    <div className="grid gap-1">
      <p className="flex justify-between gap-3">
        <span className="text-ink-3">{words.slots}</span>
        <span className="figure">{text}</span>
      </p>
      <Meter part={slots === 0 ? 1 : host.terminals / slots} label={`${words.slots}: ${text}`} />
      {slots < host.capacity ? <small>{words.slotsBounded(host.capacity)}</small> : null}
      <HostTerminals host={host} />
    </div>
  );
};

const Memory = ({ host }: { host: Host }) => {
  const { memory_total_mb: total, memory_available_mb: free } = host;
  if (total === null || total === undefined || free === null || free === undefined) return null;
  const text = words.memoryText(toBytesText(free * MEGABYTE), toBytesText(total * MEGABYTE));
  return (
    <div className="grid gap-1">
      <p className="flex justify-between gap-3">
        <span className="text-ink-3">{words.memory}</span>
        <span className="figure">{text}</span>
      </p>
      <Meter part={total === 0 ? 1 : 1 - free / total} label={`${words.memory}: ${text}`} />
    </div>
  );
};

type Offer = NonNullable<Host['offers']>[number];

const OfferLines = ({ offer }: { offer: Offer }) => (
  <li>
    <p>
      <b>{offer.platform}</b>{' '}
      <bdi className="text-ink-2">
        {offer.launcher}, {offer.isolation === 'none' ? words.noIsolation : `${words.isolation} ${offer.isolation}`}
      </bdi>
    </p>
    {offer.platform === 'sandbox' ? null : (
      <p className="text-ink-2">
        {words.bases}:{' '}
        {offer.bases.length === 0
          ? words.noBases
          : offer.bases.map(({ name, build, current }) => (
              <span key={name} className="mr-2">
                <bdi>{name}</bdi>
                {build === null ? '' : ` (${words.build(build)})`}
                {current ? ` ${words.current}` : ''}
              </span>
            ))}
      </p>
    )}
  </li>
);

const Offers = ({ host }: { host: Host }) =>
  host.offers === undefined || host.offers.length === 0 ? (
    <p className="text-ink-3">{words.noOffers}</p>
  ) : (
    <ul className="grid gap-2" aria-label={words.offers}>
      {host.offers.map((offer) => (
        <OfferLines key={offer.platform} offer={offer} />
      ))}
    </ul>
  );

export interface HostCardProps {
  host: Host;
  region: Region | undefined;
  onRetire: (host: Host) => void;
}

/** A machine: whether it is online, how many slots it has, and what it runs. */
export const HostCard = ({ host, region, onRetire }: HostCardProps) => {
  const status = toStatusName(host.status);
  return (
    <li className="card host">
      <header className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="truncate">
            <bdi>{host.name}</bdi>
          </h2>
          <small className="block">
            {region === undefined ? null : (
              <>
                <img className="flag" src={toFlag(region)} alt="" />
                {region.label} ·{' '}
              </>
            )}
            {words.lastSeen} {host.last_seen_at === null ? words.never : <Time at={host.last_seen_at} />}
          </small>
        </div>
        <StatusMark tone={tones[status]}>{words.statuses[status]}</StatusMark>
      </header>
      <Slots host={host} />
      <Memory host={host} />
      <Offers host={host} />
      <footer className="flex items-center justify-between gap-3">
        <small className="truncate">
          {host.agent_version === null ? '' : <bdi>{words.version(host.agent_version)}</bdi>}
        </small>
        <Button
          kind="danger"
          whyNot={status === 'RETIRED' ? words.alreadyRetired : undefined}
          onClick={() => onRetire(host)}
        >
          {words.retire}
        </Button>
      </footer>
    </li>
  );
};
