import type { EvidenceLine } from '@berth/client';
import { Card } from '../../../parts/surfaces.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { listLines, toNumber, toText, type Evidence } from './evidence.ts';
import { toOffset } from './offset.ts';

const words = pageTexts.breach.done;
const { columns } = words;

const toAction = (action: unknown): string => {
  const text = toText(action) ?? '';
  return words.actions[text] ?? text.replaceAll('_', ' ');
};

const toTold = (parts: readonly unknown[]): string =>
  parts
    .map(toText)
    .filter((part) => part !== undefined)
    .join(', ');

/** What was asked for, and what came of it: "10018, Market is closed". */
const toRow = ({ kind, body }: EvidenceLine): { what: string; answer: string } => {
  if (kind === 'experts') {
    return { what: words.experts, answer: toTold([body.message]) || words.found(toNumber(body.found) ?? 0) };
  }
  if (kind === 'switch') {
    const what = body.is_on === true ? words.switchedOn : words.switchedOff;
    return { what, answer: toTold([body.message]) || (body.ok === true ? words.ok : words.failed) };
  }
  return { what: toAction(body.action), answer: toTold([body.retcode, body.message]) || words.noAnswer };
};

const Request = ({ line }: { line: EvidenceLine & { afterMs: number } }) => {
  const { what, answer } = toRow(line);
  const { ms, ticket } = line.body;
  const took = toNumber(ms);
  return (
    <tr>
      <td className="figure" data-card="right">
        {toOffset(line.afterMs)}
      </td>
      <td data-card="name">
        {what} <span className="figure">{toText(ticket) ?? ''}</span>
      </td>
      <td className="wrap" data-card="below">
        <bdi>{answer}</bdi>
      </td>
      <td className="num" data-card="end">
        {took === undefined ? '' : pageTexts.breach.seen.ms(took.toLocaleString())}
      </td>
    </tr>
  );
};

/** Each request to the terminal and its trading server, what it answered, and how long that took. */
export const DoneCard = ({ evidence }: { evidence: Evidence }) => {
  const requests = listLines(evidence, 'experts', 'request', 'switch');
  return (
    <Card title={words.title}>
      {requests.length === 0 ? (
        <p className="field-note">{words.none}</p>
      ) : (
        <table className="table" data-dense="">
          <caption className="sr-only">{words.caption}</caption>
          <thead>
            <tr>
              <th scope="col">{columns.offset}</th>
              <th scope="col">{columns.what}</th>
              <th scope="col">{columns.answer}</th>
              <th scope="col" className="num">
                {columns.took}
              </th>
            </tr>
          </thead>
          <tbody>
            {requests.map((line) => (
              <Request key={line.n} line={line} />
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
};
