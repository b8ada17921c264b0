import type { ReactNode } from 'react';
import { Amount } from '../../../parts/money/amount.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { Time } from '../../../parts/time.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { toSentence, toZoneText } from '../rule-words.ts';
import {
  listDifferences,
  listVersions,
  toBody,
  toMarks,
  toText,
  toVersion,
  type Evidence,
  type Version,
} from './evidence.ts';

const words = pageTexts.breach.rule;

const Row = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

const sources = words.sources;
const toSource = (source: unknown): string | undefined =>
  typeof source === 'string' && Object.hasOwn(sources, source) ? sources[source as keyof typeof sources] : undefined;

/** What the limit counted from, and where that came from. */
const Marks = ({ evidence }: { evidence: Evidence }) => {
  const marks = toMarks(evidence);
  const day = toBody(Array.isArray(marks.days) ? marks.days.at(-1) : undefined);
  const { kind } = evidence.breach;
  const { day_starts: starts, time_zone: zone } = evidence.header.times;
  const source = toSource(kind === 'daily_loss' ? day.source : marks.source);
  return (
    <dl className="facts">
      <Row name={words.limit}>
        <Amount value={evidence.breach.limit} />
      </Row>
      {kind === 'daily_loss' && toText(day.value) !== undefined ? (
        <Row name={words.day}>
          <Amount value={toText(day.value)} />
        </Row>
      ) : null}
      {kind === 'trailing_drawdown' && toText(marks.high_water) !== undefined ? (
        <Row name={words.high}>
          <Amount value={toText(marks.high_water)} />
        </Row>
      ) : null}
      {toText(marks.start) === undefined ? null : (
        <Row name={words.began}>
          <Amount value={toText(marks.start)} />
        </Row>
      )}
      {source === undefined ? null : <Row name={words.source}>{source}</Row>}
      {starts === null || zone === null ? null : <Row name={words.zone}>{words.dayFrom(starts, toZoneText(zone))}</Row>}
    </dl>
  );
};

const toDifferences = (decided: Version | undefined, version: Version): string => {
  if (version.rule === null) return words.deleted;
  if (decided === undefined) return '';
  return (
    listDifferences(decided, version)
      .map(([name, value]) => words.differs(name, value))
      .join(', ') || words.nothing
  );
};

const Other = ({ decided, version }: { decided: Version | undefined; version: Version }) => (
  <li>
    {words.version(version.version)}, <Time at={version.since} as="exact" />
    {version.by === null ? '' : `, ${version.by.is_session ? words.by.session : words.by.token}`}{' '}
    <small>
      <bdi>{toDifferences(decided, version)}</bdi>
    </small>
  </li>
);

/** The version of the rule that decided, what it counted from, and its other versions of that day and since. */
export const RuleCard = ({ evidence }: { evidence: Evidence }) => {
  const decided = toVersion(evidence);
  const { rule_version: version } = evidence.breach;
  const others = listVersions(evidence);
  return (
    <Card title={words.title} className="breach-part">
      <p>
        <b>
          <bdi>{evidence.breach.rule_name}</bdi>
        </b>
        {version === null ? null : `, ${words.version(version)}`}
      </p>
      {decided?.rule ? <p>{toSentence(decided.rule, true)}</p> : null}
      {version === null ? <p className="field-note">{words.unknownVersion}</p> : null}
      <Marks evidence={evidence} />
      {others.length === 0 ? null : (
        <>
          <h3 className="field-name">{words.changed}</h3>
          <ul className="breach-lines">
            {others.map((one) => (
              <Other key={one.n} decided={decided} version={one} />
            ))}
          </ul>
        </>
      )}
    </Card>
  );
};
