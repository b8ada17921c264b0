import type { Host, HostTerminal } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { TerminalStatusMark } from '../../parts/terminal-status.tsx';
import { Time } from '../../parts/time.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { useHostTerminals } from './hosts-data.ts';

const words = pageTexts.hosts;

/** The operator's own by name; of other users' terminals the operator sees the id. */
const Name = ({ terminal: { id, name } }: { terminal: HostTerminal }) =>
  name === null ? (
    <span className="text-ink-2" title={id}>
      {words.ofOther} <span className="figure">{id.slice(-6)}</span>
    </span>
  ) : (
    <Link to="/terminals/$id" params={{ id }} className="link">
      <bdi>{name}</bdi>
    </Link>
  );

const List = ({ host }: { host: Host }) => {
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useHostTerminals(host.id, page);
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton className="h-9 w-full" />;
  return (
    <>
      <ul className="mt-2 grid gap-1" aria-label={words.terminalsOf}>
        {data.data.map((terminal) => (
          <li key={terminal.id} className="flex items-center justify-between gap-3">
            <span className="min-w-0 truncate">
              <Name terminal={terminal} /> <small className="text-ink-3">{terminal.platform}</small>
            </span>
            <small className="flex shrink-0 items-center gap-2">
              <TerminalStatusMark status={terminal.status} /> <Time at={terminal.status_changed_at} as="span" />
            </small>
          </li>
        ))}
      </ul>
      <Pager page={page} lastPage={data.pagination.last_page} onPage={setPage} />
    </>
  );
};

/** The terminals of a host, loaded on demand. */
export const HostTerminals = ({ host }: { host: Host }) => {
  const [isOpen, setOpen] = useState(false);
  if (host.terminals === 0) return null;
  return (
    <details className="mt-2" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{words.terminals(host.terminals)}</summary>
      {isOpen ? <List host={host} /> : null}
    </details>
  );
};
