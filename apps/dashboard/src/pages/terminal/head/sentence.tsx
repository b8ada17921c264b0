import type { Terminal } from '@berth/client';
import { useRegions } from '../../../data/regions.ts';
import { Figure } from '../../../parts/figure.tsx';
import { Time } from '../../../parts/time.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';

const words = pageTexts.terminal;

/** Its connection to the broker. Nothing is shown before the first measurement. */
const Link = ({ link }: { link: Terminal['link'] | undefined }) => {
  if (link?.state === 'down') return words.noLinkTo;
  if (link?.state !== 'up' || link.ping_ms === null) return words.on;
  return (
    <>
      <Figure value={link.ping_ms} unit="ms" /> {words.to}
    </>
  );
};

/** "since 14:02, 5.6 ms to Harbour-Demo, account 50018233, London" */
export const Sentence = ({ terminal }: { terminal: Terminal }) => {
  const { data: regions } = useRegions();
  const region = regions?.find(({ id }) => id === terminal.region);
  return (
    <p className="say">
      {words.since} <Time at={terminal.status_changed_at} as="moment" />
      {', '}
      <Link link={terminal.link} /> <bdi className="strong">{terminal.server_name}</bdi>
      {`, ${words.account} `}
      <bdi className="figure strong">{terminal.login}</bdi>
      {region === undefined ? null : `, ${region.label}`}
    </p>
  );
};
