import type { Host, HostTerminal } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { Pager } from '../../parts/pager.tsx';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { TerminalStatusMark } from '../../parts/terminal-status.tsx';
import { Time } from '../../parts/time.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { useHostTerminals } from './hosts-data.ts';

const words = pageTexts.hosts;

/** The operator's own by name; of other users' terminals the operator sees the end of the id. */
const Name = ({ terminal: { id, name } }: { terminal: HostTerminal }) =>
  name === null ? (
    <span className="figure" title={id}>
      …{id.slice(-6)}
    </span>
  ) : (
    <Link to="/terminals/$id" params={{ id }} className="link">
      <bdi>{name}</bdi>
    </Link>
  );

const Item = ({ terminal }: { terminal: HostTerminal }) => {
  const { owner, platform, status, status_changed_at: since, left_because: why } = terminal;
  return (
    <li className="host-terminal">
      <div className="min-w-0">
        <p className="truncate">
          <bdi>{owner.name}</bdi>{' '}
          <small>
            <bdi>{owner.email}</bdi>
          </small>
        </p>
        <small className="block truncate">
          <Name terminal={terminal} /> · {platform}
        </small>
        {why === null ? null : <small className="block">{words.leftBecause[why]}</small>}
      </div>
      <div className="text-right">
        <TerminalStatusMark status={status} />
        <small className="block">
          <Time at={since} as="span" />
        </small>
      </div>
    </li>
  );
};

const List = ({ host }: { host: Host }) => {
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useHostTerminals(host.id, page);
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton className="h-40 w-full" />;
  return (
    <div>
      <ul aria-label={words.terminalsOf(isolate(host.name))}>
        {data.data.map((terminal) => (
          <Item key={terminal.id} terminal={terminal} />
        ))}
      </ul>
      <Pager page={page} lastPage={data.pagination.last_page} onPage={setPage} />
    </div>
  );
};

/** The terminals of a host and whose they are, beside the hosts. */
export const HostTerminals = ({ host, onClose }: { host: Host | undefined; onClose: () => void }) =>
  host === undefined ? null : (
    <SideSheet title={words.terminalsOf(isolate(host.name))} isOpen onClose={onClose}>
      <List key={host.id} host={host} />
    </SideSheet>
  );
