import type { TradingAccount } from '@berth/client';
import { Banner } from '../../../parts/banner.tsx';
import { StatusMark } from '../../../parts/status-mark.tsx';
import { Time, toZone } from '../../../parts/time.tsx';
import { zoneName } from '../../../parts/zone.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { texts } from '../../../texts/texts.ts';

const words = pageTexts.terminalTrading;
const second = new Intl.DateTimeFormat(texts.locale, { timeStyle: 'medium', hourCycle: 'h23' });
const daySecond = new Intl.DateTimeFormat(texts.locale, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });

/** "14:02:11", with the date where that is not today. */
export const toSecond = (at: string, now: number): string => {
  const then = new Date(at);
  return (then.toDateString() === new Date(now).toDateString() ? second : daySecond).format(then);
};

/** How old the figures are: always there, so that its change is noticed. */
export const AsOf = ({ account, now }: { account: TradingAccount; now: number }) => (
  <p className="as-of">
    <span>
      {account.is_current ? (
        <StatusMark tone="good">{words.live}</StatusMark>
      ) : (
        <StatusMark tone="cut">{`${words.asOf} ${toSecond(account.seen_at, now)} ${toZone(Date.parse(account.seen_at))}, ${words.notCurrent}`}</StatusMark>
      )}
    </span>
    <span>
      {words.updated} <Time at={account.seen_at} />
    </span>
    <span>{words.zone(zoneName, account.currency)}</span>
  </p>
);

/** What it means that they are old, or not complete. */
export const OldFigures = ({ account }: { account: TradingAccount }) => {
  if (!account.is_current) {
    return (
      <Banner kind="warning">
        <b>{words.old.title}</b> {words.old.text(account.positions_total)}
      </Banner>
    );
  }
  return account.is_synchronized ? null : <Banner kind="warning">{words.notSynchronized}</Banner>;
};
