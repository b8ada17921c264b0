import type { PendingOrder, Position, TradingAccount } from '@berth/client';
import type { ReactNode } from 'react';
import { Amount, Result } from '../../../parts/money/amount.tsx';
import { sum } from '../../../data/decimal.ts';
import { Side } from '../../../parts/money/side.tsx';
import { Sheet } from '../../../parts/surfaces.tsx';
import { Time } from '../../../parts/time.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { toSecond } from './as-of.tsx';

const words = pageTexts.terminalTrading;

/** Who opened an order or a position: its comment, or the number of its expert. */
export const Comment = ({ comment, magic }: { comment: string; magic: string }) => {
  const text = comment === '' ? (magic === '0' ? '' : magic) : comment;
  return text === '' ? <span className="none">–</span> : <bdi title={magic === '0' ? undefined : magic}>{text}</bdi>;
};

interface SectionProps {
  title: string;
  count: number;
  note?: ReactNode;
  tools?: ReactNode;
  children: ReactNode;
}

/** A part of the tab, with its head. */
export const Section = ({ title, count, note, tools, children }: SectionProps) => (
  <section className="section" aria-label={title}>
    <div className="section-head">
      <h2>{title}</h2>
      <span className="figure">{count.toLocaleString()}</span>
      {note === undefined ? null : <small>{note}</small>}
      {tools === undefined ? null : <div className="section-tools">{tools}</div>}
    </div>
    {children}
  </section>
);

const PositionRow = ({ position }: { position: Position }) => (
  <tr>
    <td data-card="name">
      <b>
        <bdi>{position.symbol}</bdi>
      </b>
    </td>
    <td data-card="below">
      <Side side={position.side}>{words.sides[position.side]}</Side>{' '}
      <span className="card-only-line">
        <Amount value={position.volume} />
      </span>
    </td>
    <td className="num">
      <Amount value={position.volume} />
    </td>
    <td className="num" data-card="right" data-label={words.positions.open}>
      <Amount value={position.open_price} />
    </td>
    <td className="num">
      <Amount value={position.price} />
    </td>
    <td className="num from-wide">
      <Amount value={position.stop_loss} />
    </td>
    <td className="num from-wide">
      <Amount value={position.take_profit} />
    </td>
    <td className="num from-desk">
      <Result value={position.swap} />
    </td>
    <td className="num" data-card="end">
      <Result value={position.profit} />
    </td>
    <td className="num from-wide">
      <Time at={position.opened_at} as="moment" />
    </td>
    <td className="clip-ea from-desk">
      <Comment comment={position.comment} magic={position.magic} />
    </td>
  </tr>
);

const PositionTotal = ({ positions }: { positions: readonly Position[] }) => (
  <tfoot>
    <tr>
      <td data-card="name">{words.positions.total}</td>
      <td />
      <td className="num">
        <Amount value={sum(positions.map(({ volume }) => volume))} />
      </td>
      <td colSpan={2} />
      <td colSpan={2} className="from-wide" />
      <td className="num from-desk">
        <Result value={sum(positions.map(({ swap }) => swap))} />
      </td>
      <td className="num" data-card="end">
        <Result value={sum(positions.map(({ profit }) => profit))} />
      </td>
      <td className="from-wide" />
      <td className="from-desk" />
    </tr>
  </tfoot>
);

interface Head {
  name: string;
  className: string;
}

const Heads = ({ heads }: { heads: readonly Head[] }) => (
  <thead>
    <tr>
      {heads.map(({ name, className }) => (
        <th key={name} scope="col" className={className === '' ? undefined : className}>
          {name}
        </th>
      ))}
    </tr>
  </thead>
);

const toHeads = (names: Record<string, string>, classes: readonly string[]): Head[] =>
  Object.values(names).map((name, index) => ({ name, className: classes[index] ?? '' }));

const positionClasses = [
  '',
  '',
  'num',
  'num',
  'num',
  'num from-wide',
  'num from-wide',
  'num from-desk',
  'num',
  'num from-wide',
  'from-desk',
];
const orderClasses = ['', '', 'num', 'num', 'num from-desk', 'num from-desk', 'num from-wide', 'from-desk'];

/** What is open, with its profit of this moment. */
export const Positions = ({ account, now }: { account: TradingAccount; now: number }) => {
  const { positions, positions_total: total } = account;
  const { columns } = words.positions;
  const note = account.is_current || total === 0 ? undefined : words.positions.asOf(toSecond(account.seen_at, now));
  return (
    <Section title={words.positions.title} count={total} note={note}>
      {total > positions.length ? (
        <p className="field-note">{words.positions.notListed(total - positions.length)}</p>
      ) : null}
      {positions.length === 0 ? (
        <div className="card text-ink-2">{words.positions.none}</div>
      ) : (
        <Sheet>
          <table className="table" data-dense="" data-aged={account.is_current ? undefined : ''}>
            <caption className="sr-only">{words.positions.caption}</caption>
            <Heads heads={toHeads(columns, positionClasses)} />
            <tbody>
              {positions.map((position) => (
                <PositionRow key={position.ticket} position={position} />
              ))}
            </tbody>
            <PositionTotal positions={positions} />
          </table>
        </Sheet>
      )}
    </Section>
  );
};

const OrderRow = ({ order }: { order: PendingOrder }) => (
  <tr>
    <td data-card="name">
      <b>
        <bdi>{order.symbol}</bdi>
      </b>
    </td>
    <td data-card="below">
      <Side side={order.type.startsWith('sell') ? 'sell' : 'buy'}>{words.orders.types[order.type]}</Side>
    </td>
    <td className="num" data-card="right">
      <Amount value={order.volume} />
    </td>
    <td className="num" data-card="end" data-label={words.orders.at}>
      <Amount value={order.price} />
    </td>
    <td className="num from-desk">
      <Amount value={order.stop_loss} />
    </td>
    <td className="num from-desk">
      <Amount value={order.take_profit} />
    </td>
    <td className="num from-wide">
      <Time at={order.placed_at} as="moment" />
    </td>
    <td className="clip-ea from-desk">
      <Comment comment={order.comment} magic={order.magic} />
    </td>
  </tr>
);

/** What waits for its price; nothing where nothing does. */
export const Orders = ({ account, now }: { account: TradingAccount; now: number }) => {
  const { orders, orders_total: total } = account;
  if (total === 0) return null;
  const note = account.is_current ? undefined : words.positions.asOf(toSecond(account.seen_at, now));
  return (
    <Section title={words.orders.title} count={total} note={note}>
      {total > orders.length ? <p className="field-note">{words.orders.notListed(total - orders.length)}</p> : null}
      <Sheet>
        <table className="table" data-dense="" data-aged={account.is_current ? undefined : ''}>
          <caption className="sr-only">{words.orders.caption}</caption>
          <Heads heads={toHeads(words.orders.columns, orderClasses)} />
          <tbody>
            {orders.map((order) => (
              <OrderRow key={order.ticket} order={order} />
            ))}
          </tbody>
        </table>
      </Sheet>
    </Section>
  );
};
