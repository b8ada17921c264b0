import { Amount } from '../../../parts/money/amount.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { listLines, listReports, toBody, toNumber, toText, type Body, type Evidence, type Report } from './evidence.ts';
import { toOffset } from './offset.ts';
import { SeenChart } from './seen-chart.tsx';

const words = pageTexts.breach.seen;
const { columns } = words;
/** Kinds whose limit is a level of the equity. */
const counts: ReadonlySet<string> = new Set(['max_volume', 'max_positions']);

/** "EURUSD 1.08412/1.08419": what is not known of it is a dash. */
const toPrices = ({ quotes }: Body): string =>
  Object.entries(toBody(quotes))
    .map(([symbol, quote]) => [symbol, toText(toBody(quote).bid) ?? '–', toText(toBody(quote).ask) ?? '–'])
    .map(([symbol, bid, ask]) => `${symbol} ${bid}/${ask}`)
    .join(', ');

const toOpen = ({ positions, orders }: Body): string => {
  const open = toNumber(positions);
  return open === undefined ? '' : String(open + (toNumber(orders) ?? 0));
};

const Row = ({ report: { afterMs, equity, body } }: { report: Report }) => {
  const age = toNumber(body.age_ms);
  return (
    <tr>
      <td data-card="name" className="figure">
        {toOffset(afterMs)}
      </td>
      <td className="num from-desk">{toText(body.sequence) ?? ''}</td>
      <td className="num from-desk">{age === undefined ? '' : words.ms(age.toLocaleString())}</td>
      <td className="num" data-card="end">
        <Amount value={equity} />
      </td>
      <td className="num" data-card="below" data-label={columns.balance}>
        <Amount value={toText(body.balance)} />
      </td>
      <td className="num from-desk">{toOpen(body)}</td>
      <td className="figure from-wide clip-ea" title={toPrices(body)}>
        <bdi>{toPrices(body)}</bdi>
      </td>
    </tr>
  );
};

const heads: readonly (readonly [string, string | undefined])[] = [
  [columns.offset, undefined],
  [columns.sequence, 'num from-desk'],
  [columns.age, 'num from-desk'],
  [columns.equity, 'num'],
  [columns.balance, 'num'],
  [columns.open, 'num from-desk'],
  [columns.prices, 'from-wide'],
];

const Reports = ({ reports }: { reports: readonly Report[] }) => (
  <details className="seen-table">
    <summary>{words.table}</summary>
    <table className="table" data-dense="">
      <caption className="sr-only">{words.caption}</caption>
      <thead>
        <tr>
          {heads.map(([name, className]) => (
            <th key={name} scope="col" className={className}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {reports.map((report) => (
          <Row key={report.n} report={report} />
        ))}
      </tbody>
    </table>
  </details>
);

/** What the terminal showed around the decision, as a chart and as a table. */
export const SeenCard = ({ evidence }: { evidence: Evidence }) => {
  const reports = listReports(evidence);
  const sights = listLines(evidence, 'blind', 'sees');
  const { kind, limit } = evidence.breach;
  return (
    <Card title={words.title}>
      {reports.length === 0 ? (
        <p className="field-note">{words.none}</p>
      ) : (
        <>
          <p className="field-note">{words.window}</p>
          <SeenChart reports={reports} limit={counts.has(kind) ? undefined : limit} />
          <Reports reports={reports} />
        </>
      )}
      {sights.length === 0 ? null : (
        <ul className="breach-lines">
          {sights.map(({ n, kind: sight, afterMs, body }) => (
            <li key={n}>
              <span className="figure">{toOffset(afterMs)}</span> {sight === 'blind' ? words.blind : words.sees}{' '}
              <small>{toReason(body)}</small>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
};

const { reasons } = pageTexts.risk.blind;
const toReason = ({ reason }: Body): string => {
  const why = toText(reason) ?? '';
  return Object.hasOwn(reasons, why) ? reasons[why as keyof typeof reasons] : '';
};
