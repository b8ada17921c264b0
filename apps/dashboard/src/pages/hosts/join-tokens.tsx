import type { Host, JoinTokenRecord, Region } from '@berth/client';
import { useState } from 'react';
import { useRegions } from '../../data/regions.ts';
import { useWhyNot } from '../../data/session.ts';
import { Button } from '../../parts/button.tsx';
import { useNow } from '../../parts/clock.ts';
import { PagedListing } from '../../parts/listing.tsx';
import { NameCell } from '../../parts/name-cell.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { useJoinTokens, useRevoke } from './hosts-data.ts';

const words = pageTexts.hosts;
const { tokenColumns: columns } = words;
const MINUTE_MS = 60_000;

interface RowProps {
  token: JoinTokenRecord;
  region: Region | undefined;
  host: Host | undefined;
}

const Row = ({ token, region, host }: RowProps) => {
  const revoke = useRevoke();
  const whyNot = useWhyNot('operator');
  const isOver = Date.parse(token.expires_at) <= useNow(MINUTE_MS);
  const isOpen = token.used_at === null && !isOver;
  return (
    <tr>
      <NameCell note={region?.label}>{token.name}</NameCell>
      <td data-card="below" data-label={columns[1]}>
        <Time at={token.created_at} />
      </td>
      <td data-card="end">
        {token.used_at !== null ? (
          <StatusMark tone="good">{words.usedBy(host === undefined ? null : isolate(host.name))}</StatusMark>
        ) : isOver ? (
          <StatusMark tone="rest">{words.expired}</StatusMark>
        ) : (
          <StatusMark tone="wait">{words.open}</StatusMark>
        )}
      </td>
      <td className="actions" data-card={isOpen ? 'below' : undefined}>
        {isOpen ? (
          <Button
            aria-label={words.revokeOf(isolate(token.name))}
            whyNot={whyNot}
            isBusy={revoke.isRunning}
            onClick={() => revoke.run(token)}
          >
            {words.revoke}
          </Button>
        ) : null}
      </td>
    </tr>
  );
};

/** Tokens that let hosts join: which are open, and which host used one. Nothing while there is none. */
export const JoinTokens = ({ hosts }: { hosts: readonly Host[] }) => {
  const [page, setPage] = useState(1);
  const tokens = useJoinTokens(page);
  const { data: regions = [] } = useRegions();
  const { data, error } = tokens;
  if (data === undefined ? error === null : data.pagination.total === 0) return null;
  return (
    <section className="mt-6 grid gap-2">
      <h2>{words.joinTokens}</h2>
      <PagedListing reading={tokens} page={page} onPage={setPage}>
        <Table caption={words.joinTokens} columns={columns} actions={words.revoke} items={data?.data} expected={2}>
          {(token) => (
            <Row
              key={token.id}
              token={token}
              region={regions.find(({ id }) => id === token.region)}
              host={hosts.find(({ id }) => id === token.host_id)}
            />
          )}
        </Table>
      </PagedListing>
    </section>
  );
};
