import type { Terminal } from '@berth/client';
import { useLinkProps, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Unplug } from 'lucide-react';
import { lazy, Suspense, useCallback, useState } from 'react';
import { isGone } from '../../data/query-client.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Failure } from '../../parts/failure.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import { ChartsTab } from './charts/charts-tab.tsx';
import { InstallDialog } from '../../parts/expert/install-dialog.tsx';
import { useFileDrop } from './charts/file-drop.ts';
import { Glance } from './head/glance.tsx';
import { StatusAdvice } from './head/status-advice.tsx';
import { TerminalHead } from './head/terminal-head.tsx';
import { WhyLater } from './head/why-later.tsx';
import { terminalTabs, type TerminalTab } from './search.ts';
import { TaskEnds } from './task-ends.tsx';
import { TasksTab } from './tasks/tasks-tab.tsx';
import { useTasks, useTerminal } from './terminal-data.ts';
import { useTerminalCommands } from './terminal-commands.ts';

const words = pageTexts.terminal;

const LogsTab = lazy(async () => ({ default: (await import('./logs/logs-tab.tsx')).LogsTab }));
const AccountTab = lazy(async () => ({ default: (await import('./account/account-tab.tsx')).AccountTab }));
const TradingTab = lazy(async () => ({ default: (await import('./trading/trading-tab.tsx')).TradingTab }));
const HistoryTab = lazy(async () => ({ default: (await import('./history/history-tab.tsx')).HistoryTab }));
const Picture = lazy(async () => ({ default: (await import('./screenshot/picture.tsx')).Picture }));
const LockedBanner = lazy(async () => ({ default: (await import('./head/locked-banner.tsx')).LockedBanner }));
const SettingsTab = lazy(async () => ({ default: (await import('./settings/settings-tab.tsx')).SettingsTab }));

const TabLink = ({ id, tab, isShown }: { id: string; tab: TerminalTab; isShown: boolean }) => {
  const link = useLinkProps({
    from: '/terminals/$id',
    to: '/terminals/$id',
    params: { id },
    search: ({ range, measure }) => ({
      ...(range === undefined ? {} : { range }),
      ...(measure === undefined ? {} : { measure }),
      ...(tab === 'tasks' ? {} : { tab }),
    }),
    resetScroll: false,
  });
  // The link itself considers every tab active whose part of the URL matches: the first one always does.
  return (
    <a {...link} className="tab" aria-current={isShown ? 'page' : undefined}>
      {words.tabs[tab]}
    </a>
  );
};

const Tab = ({ tab, terminal, onInstall }: { tab: TerminalTab; terminal: Terminal; onInstall: () => void }) => {
  if (tab === 'tasks') return <TasksTab terminalId={terminal.id} />;
  if (tab === 'charts') return <ChartsTab terminal={terminal} onInstall={onInstall} />;
  if (tab === 'trading') return <TradingTab terminal={terminal} />;
  if (tab === 'history') return <HistoryTab terminalId={terminal.id} />;
  if (tab === 'logs') return <LogsTab terminal={terminal} />;
  return tab === 'account' ? <AccountTab terminal={terminal} /> : <SettingsTab terminal={terminal} />;
};

const LoadedTerminal = ({ terminal }: { terminal: Terminal }) => {
  const { tab = 'tasks', screenshot, range, measure } = useSearch({ from: '/in/terminals/$id' });
  // An address that chooses a screenshot or a chart shows it.
  const [isOpen, setOpen] = useState([screenshot, range, measure].some((chosen) => chosen !== undefined));
  /** null: no dialog; undefined in it: no file yet. */
  const [install, setInstall] = useState<{ file: File | undefined } | null>(null);
  const openInstall = useCallback((file?: File) => setInstall({ file }), []);
  const isDragging = useFileDrop(openInstall);
  useTerminalCommands(terminal, openInstall);
  return (
    <>
      <TerminalHead terminal={terminal} onInstall={() => openInstall()} />
      {terminal.locked_reason ? (
        <Suspense fallback={null}>
          <LockedBanner terminal={terminal} reason={terminal.locked_reason} />
        </Suspense>
      ) : null}
      <StatusAdvice terminal={terminal} />
      <WhyLater terminal={terminal} />
      <Glance terminal={terminal} isOpen={isOpen} onToggle={setOpen} />
      {isOpen ? (
        <Suspense fallback={<Skeleton className="hero-place" />}>
          <Picture terminal={terminal} />
        </Suspense>
      ) : null}
      <Tabs label={words.tabsLabel}>
        {terminalTabs.map((each) => (
          <TabLink key={each} id={terminal.id} tab={each} isShown={each === tab} />
        ))}
      </Tabs>
      <div className="tab-body">
        <Suspense fallback={<Skeleton className="h-40 w-full" />}>
          <Tab tab={tab} terminal={terminal} onInstall={() => openInstall()} />
        </Suspense>
      </div>
      {isDragging ? <div className="drop-veil">{pageTexts.terminalExperts.drop}</div> : null}
      {install === null ? null : (
        <InstallDialog terminal={terminal} file={install.file} onClose={() => setInstall(null)} />
      )}
    </>
  );
};

const LoadingTerminal = () => (
  <div aria-busy="true">
    <span className="sr-only">{texts.loading}</span>
    <div className="page-head">
      <Skeleton className="h-7 w-64" />
    </div>
    <Skeleton className="h-16 w-full" />
    <Skeleton className="mt-4 h-60 w-full" />
  </div>
);

/** @param name if the terminal was shown until now */
const GoneTerminal = ({ id, name }: { id: string; name: string | undefined }) => {
  const navigate = useNavigate();
  const { data } = useTasks(id, { page: 1, filter: undefined });
  return (
    <>
      <PageHead title={name ?? words.gone} />
      <Sheet>
        <EmptyState
          icon={<Unplug aria-hidden="true" />}
          title={words.gone}
          action={
            <Button kind="primary" onClick={() => void navigate({ to: '/terminals' })}>
              {words.toTerminals}
            </Button>
          }
        >
          {words.goneText}
        </EmptyState>
      </Sheet>
      {data !== undefined && data.data.length > 0 ? (
        <section className="tab-body">
          <h2 className="mb-3">{words.goneTasks}</h2>
          <TasksTab terminalId={id} />
        </section>
      ) : null}
    </>
  );
};

const TerminalById = ({ id }: { id: string }) => {
  const { data, error, refetch } = useTerminal(id);
  if (isGone(error)) return <GoneTerminal id={id} name={data?.name} />;
  return (
    <>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null ? <LoadingTerminal /> : null : <LoadedTerminal terminal={data} />}
      <TaskEnds />
    </>
  );
};

/** A terminal: its state, its screen, and everything that can be done with it. */
export const TerminalPage = () => {
  const { id } = useParams({ from: '/in/terminals/$id' });
  return <TerminalById key={id} id={id} />;
};
