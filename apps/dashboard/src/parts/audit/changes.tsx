import type { AuditEntry } from '@berth/client';
import { Fragment } from 'react';
import { pageTexts } from '../../texts/page-texts.ts';
import { toChanges, type Change } from './audit-data.ts';

const words = pageTexts.audit;
/** More are shown when somebody wants to see them. */
const SHOWN = 2;

const List = ({ changes }: { changes: readonly Change[] }) => (
  <dl className="audit-changes">
    {changes.map(({ name, before, after }) => (
      <Fragment key={name}>
        <dt>{name}</dt>
        <dd>
          {before === undefined ? null : (
            <del>
              <bdi>{before}</bdi>
            </del>
          )}
          {before === undefined || after === undefined ? null : (
            <>
              <span aria-hidden="true"> → </span>
              <span className="sr-only"> {words.becomes} </span>
            </>
          )}
          {after === undefined ? null : <bdi>{after}</bdi>}
        </dd>
      </Fragment>
    ))}
  </dl>
);

/** What a row says has changed: before → after. */
export const Changes = ({ entry }: { entry: AuditEntry }) => {
  const changes = toChanges(entry);
  if (changes.length === 0) return null;
  if (changes.length <= SHOWN) return <List changes={changes} />;
  return (
    <details>
      <summary>{words.more(changes.length)}</summary>
      <List changes={changes} />
    </details>
  );
};
