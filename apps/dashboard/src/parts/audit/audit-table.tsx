import type { AuditEntry } from '@berth/client';
import { useProfile } from '../../data/profile.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { StatusMark } from '../status-mark.tsx';
import { Table } from '../table.tsx';
import { Time } from '../time.tsx';
import type { AuditDay } from './audit-data.ts';
import { Changes } from './changes.tsx';
import type { AuditSearch } from './search.ts';

const words = pageTexts.audit;
const { columns } = words;

/** Narrows the list to what a row has. */
export type Narrow = (filter: Pick<AuditSearch, 'actor' | 'action' | 'target'>) => void;

interface RowProps {
  entry: AuditEntry;
  /** Undefined: there is nobody else to choose. */
  onActor: ((id: string) => void) | undefined;
  onNarrow: Narrow;
}

const toMeans = ({ token_id: token, session_id: session }: AuditEntry['actor']): string | undefined => {
  if (session !== null) return words.bySession(session);
  return token === null ? undefined : words.byToken(token);
};

const Who = ({ entry: { actor }, onActor }: Omit<RowProps, 'onNarrow'>) => {
  const isOwn = useProfile().data?.id === actor.user_id;
  const { kind, user_id: id, name } = actor;
  const shown = name ?? (kind === 'user' ? words.gone : words[kind]);
  const means = toMeans(actor);
  return (
    <span className="row-name">
      {id === null || onActor === undefined ? (
        <b>
          <bdi>{isOwn ? words.you : shown}</bdi>
        </b>
      ) : (
        <button type="button" className="link max-w-full truncate align-bottom" onClick={() => onActor(id)}>
          <span className="sr-only">{words.onlyBy} </span>
          <bdi>{shown}</bdi>
        </button>
      )}{' '}
      {kind === 'operator' && name !== null ? <span className="badge">{words.asOperator}</span> : null}
      {means === undefined ? null : <small>{means}</small>}
    </span>
  );
};

/** Where the row has it: names of users are not kept. */
const toName = ({ target, before, after }: AuditEntry): string | undefined => {
  const name = after?.name ?? before?.name;
  return target.type !== 'user' && typeof name === 'string' ? name : undefined;
};

const Row = ({ entry, onActor, onNarrow }: RowProps) => {
  const { action, target, address, at, result } = entry;
  const name = toName(entry);
  return (
    <tr>
      <td className="num" data-card="end">
        <Time at={at} as="second" />
      </td>
      <td data-card="name" className="audit-who">
        <Who entry={entry} onActor={onActor} />
      </td>
      <td data-card="below">
        <button
          type="button"
          className="link"
          aria-label={words.onlyAction(action)}
          onClick={() => onNarrow({ action })}
        >
          <code>{action}</code>
        </button>
        {result === 'refused' ? <StatusMark tone="bad">{words.refused}</StatusMark> : null}
      </td>
      <td data-card="below">
        {target.id === null ? (
          <span className="none">{target.type}</span>
        ) : (
          <button
            type="button"
            className="link audit-target"
            title={target.id}
            onClick={() => onNarrow({ target: target.id! })}
          >
            <span className="sr-only">{words.only} </span>
            {target.type}{' '}
            {name === undefined ? <small className="figure">{target.id.slice(-12)}</small> : <bdi>{name}</bdi>}
          </button>
        )}
      </td>
      <td className="num" data-card="below">
        {address}
      </td>
      <td data-card="below" className="wide">
        <Changes entry={entry} />
      </td>
    </tr>
  );
};

export interface AuditTableProps extends Omit<RowProps, 'entry'> {
  /** Undefined while loading. */
  day: AuditDay | undefined;
}

/** The rows of a day, newest first. */
export const AuditTable = ({ day, ...row }: AuditTableProps) => (
  <Table
    caption={words.caption(day?.name ?? '')}
    columns={[
      { number: columns.at },
      columns.who,
      columns.action,
      columns.target,
      { number: columns.address },
      columns.changes,
    ]}
    items={day?.entries}
    expected={8}
  >
    {(entry) => <Row key={entry.id} entry={entry} {...row} />}
  </Table>
);
