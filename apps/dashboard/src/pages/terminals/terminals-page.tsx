import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import { Button } from '../../parts/button.tsx';
import { later } from '../../parts/later.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { useCommands } from '../../data/commands.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { ListTools, useFilter } from './filters.tsx';
import type { TerminalsSearch } from './search.ts';
import { useSelection } from './selection.ts';
import { TerminalList } from './terminal-list.tsx';

const words = pageTexts.terminals;

const Search = ({ value }: { value: string }) => {
  const filter = useFilter();
  const onSearch = useCallback((text: string) => filter({ search: text === '' ? undefined : text }, true), [filter]);
  return <SearchField label={words.search} hint={words.searchHint} value={value} onSearch={onSearch} />;
};

const CreateDialog = lazy(() =>
  import('./create/create-dialog.tsx').then(({ CreateDialog: component }) => ({ default: component })),
);

const SelectionDock = later(async () => (await import('./dock.tsx')).SelectionDock);

const CreateButton = () => {
  const navigate = useNavigate({ from: '/terminals' });
  const commands = useMemo(() => {
    const run = (): void => void navigate({ search: (old) => ({ ...old, create: true }) });
    const importMany = (): void => void navigate({ to: '/terminals/import' });
    return [
      { id: 'terminals.create', name: words.create.open, words: 'new add', run },
      { id: 'terminals.import', name: words.create.import, words: 'csv paste bulk', run: importMany },
    ];
  }, [navigate]);
  useCommands(commands);
  return (
    <Button kind="primary" onClick={commands[0]?.run}>
      {words.create.open}
    </Button>
  );
};

const Tools = ({ asked }: { asked: TerminalsSearch }) => (
  <>
    <Search value={asked.search ?? ''} />
    <Link to="/terminals/import" className="button import-link">
      {words.create.import}
    </Link>
    <CreateButton />
  </>
);

/** The list of terminals: its filters are in the URL. */
export const TerminalsPage = () => {
  const asked = useSearch({ from: '/in/terminals' });
  const selection = useSelection();
  return (
    <>
      <div className="list-head">
        <PageHead title={words.title} tools={<Tools asked={asked} />} />
        <ListTools asked={asked} />
      </div>
      <TerminalList asked={asked} selection={selection} />
      {asked.create ? (
        <Suspense fallback={null}>
          <CreateDialog />
        </Suspense>
      ) : null}
      {selection.items.size > 0 ? (
        <Suspense fallback={null}>
          <SelectionDock asked={asked} selection={selection} />
        </Suspense>
      ) : null}
    </>
  );
};
