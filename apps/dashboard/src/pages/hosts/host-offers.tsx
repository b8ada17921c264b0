import type { Host } from '@berth/client';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.hosts;

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

/** The platforms that a host offers. */
export const HostOffers = ({ host: { offers = [] } }: { host: Host }) =>
  offers.length === 0 ? (
    <p className="text-ink-3">{words.noOffers}</p>
  ) : (
    <ul className="grid gap-2" aria-label={words.offers}>
      {offers.map((offer) => (
        <OfferLines key={offer.platform} offer={offer} />
      ))}
    </ul>
  );
