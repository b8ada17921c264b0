import { HostStatus } from '@berth/contract/values';
import type { Host } from '@berth/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, Server } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useOverview } from '../../data/overview.ts';
import { useRegions } from '../../data/regions.ts';
import { Button } from '../../parts/button.tsx';
import { PagedListing, Total } from '../../parts/listing.tsx';
import { forOperators, useOperatorCommand } from '../../parts/operator-page.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { HostCard } from './host-card.tsx';
import { HostDialogs, type Ask, type Asked } from './host-dialogs.tsx';
import { HostTerminals } from './host-terminals.tsx';
import { useHosts } from './hosts-data.ts';
import { JoinDialog } from './join-dialog.tsx';
import { JoinTokens } from './join-tokens.tsx';
import { Places } from './places.tsx';

const words = pageTexts.hosts;

/** Retired hosts are only kept for the record. */
const isRetired = ({ status }: Host): boolean => status === HostStatus.RETIRED;

interface ListProps {
  /** Undefined while they are read. */
  hosts: readonly Host[] | undefined;
  onTerminals: (host: Host) => void;
  onAsk: Ask;
}

const List = ({ hosts, onTerminals, onAsk }: ListProps) => {
  const { data: regions = [] } = useRegions();
  if (hosts === undefined) return <Skeleton className="h-56 w-full" />;
  const retired = hosts.filter(isRetired);
  const toCards = (some: readonly Host[], label: string) => (
    <ul className="hosts" aria-label={label}>
      {some.map((host) => (
        <HostCard
          key={host.id}
          host={host}
          region={regions.find(({ id }) => id === host.region)}
          onTerminals={onTerminals}
          onAsk={onAsk}
        />
      ))}
    </ul>
  );
  return (
    <>
      {toCards(
        hosts.filter((host) => !isRetired(host)),
        words.list,
      )}
      {retired.length === 0 ? null : (
        <details className="retired">
          <summary>{words.retiredHosts(retired.length)}</summary>
          {toCards(retired, words.retiredList)}
        </details>
      )}
    </>
  );
};

const OperatorHosts = () => {
  const { page = 1, host: shownId } = useSearch({ from: '/in/hosts' });
  const navigate = useNavigate({ from: '/hosts' });
  const hosts = useHosts(page);
  const { data } = hosts;
  const offline = useOverview().data?.hosts.offline ?? 0;
  const [isJoining, setJoining] = useState(false);
  const [asked, setAsked] = useState<Asked>();
  const join = useCallback(() => setJoining(true), []);
  const whyNot = useOperatorCommand('hosts.join', words.join, join);
  return (
    <>
      <PageHead
        title={words.title}
        tools={
          <Button kind="primary" icon={<Plus />} whyNot={whyNot} onClick={join}>
            {words.join}
          </Button>
        }
      >
        <Total of={data} words={words.total} />
        {offline === 0 ? null : <StatusMark tone="cut">{words.offline(offline)}</StatusMark>}
      </PageHead>
      <PagedListing
        reading={hosts}
        isBare
        filters={<Places />}
        empty={{
          icon: <Server aria-hidden="true" />,
          title: words.none,
          children: words.noneText,
          action: (
            <Button kind="primary" whyNot={whyNot} onClick={join}>
              {words.join}
            </Button>
          ),
        }}
        page={page}
        onPage={(next) => void navigate({ search: { page: next } })}
      >
        <List
          hosts={data?.data}
          onTerminals={({ id: host }) => void navigate({ search: (old) => ({ ...old, host }), resetScroll: false })}
          onAsk={(question, host) => setAsked({ question, host })}
        />
      </PagedListing>
      <JoinTokens hosts={data?.data ?? []} />
      <HostTerminals
        host={data?.data.find(({ id }) => id === shownId)}
        onClose={() => void navigate({ search: ({ host: _host, ...rest }) => rest, replace: true, resetScroll: false })}
      />
      <JoinDialog isOpen={isJoining} onClose={() => setJoining(false)} />
      <HostDialogs asked={asked} onClose={() => setAsked(undefined)} />
    </>
  );
};

export const HostsPage = forOperators(words, OperatorHosts);
