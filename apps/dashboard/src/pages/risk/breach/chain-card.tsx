import { Card } from '../../../parts/surfaces.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import type { Evidence } from './evidence.ts';

const words = pageTexts.breach.chain;

const toClock = (offset: number | null): string => {
  if (offset === null) return words.unknown;
  const size = Math.abs(offset).toLocaleString();
  return offset < 0 ? words.behind(size) : words.ahead(size);
};

/** What holds the evidence together. */
export const ChainCard = ({ evidence }: { evidence: Evidence }) => {
  const { lines, header, isComplete } = evidence;
  const { agent, server } = header.builds;
  return (
    <Card title={words.title} className="breach-part">
      <p className="field-note">{words.note}</p>
      {isComplete ? null : <p className="field-note">{words.incomplete}</p>}
      <dl className="facts">
        <dt>{words.lines}</dt>
        <dd className="figure">{lines.length.toLocaleString()}</dd>
        <dt>{words.hash}</dt>
        <dd className="figure breach-hash">{lines.at(-1)?.hash}</dd>
        <dt>{words.clock}</dt>
        <dd>{toClock(header.host.clock_offset_ms)}</dd>
        <dt>{words.builds}</dt>
        <dd>
          {words.server(server)}
          {agent === null ? '' : `, ${words.agent(agent)}`}
        </dd>
      </dl>
    </Card>
  );
};
