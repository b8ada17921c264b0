import type { EvidenceLine } from '@berth/client';
import { Result } from '../../../parts/money/amount.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { Time } from '../../../parts/time.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { listLines, toText, type Evidence } from './evidence.ts';

const words = pageTexts.breach.after;

const Told = ({ line: { kind, body } }: { line: EvidenceLine }) => {
  switch (kind) {
    case 'unlock':
      return (
        <>
          {words.unlock}: <bdi>{toText(body.reason) ?? words.byItself}</bdi>
          {body.reset_marks === true ? ` (${words.anew})` : ''}
        </>
      );
    case 'cash':
    case 'deal':
      return (
        <>
          {words[kind]} <span className="figure">{toText(body.ticket)}</span> <bdi>{toText(body.symbol) ?? ''}</bdi>{' '}
          <Result value={toText(body.profit)} />
        </>
      );
    case 'resumed':
    case 'left_out':
      return words[kind];
    default:
      return null;
  }
};

/** What came of it: deals, money, unlocks. */
export const AfterCard = ({ evidence }: { evidence: Evidence }) => {
  const lines = listLines(evidence, 'unlock', 'cash', 'deal', 'resumed', 'left_out');
  return (
    <Card title={words.title} className="breach-part">
      {lines.length === 0 ? <p className="field-note">{words.none}</p> : null}
      <ul className="breach-lines">
        {lines.map((line) => (
          <li key={line.n}>
            <Time at={line.at} as="second" /> <Told line={line} />
          </li>
        ))}
      </ul>
    </Card>
  );
};
