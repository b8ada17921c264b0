import { useNavigate } from '@tanstack/react-router';
import { Views } from '../../parts/views/views.tsx';
import { chooseColumns, toChosen, useColumns } from './columns.ts';
import { toTerminalsSearch, type TerminalsSearch } from './search.ts';

/** Filters and order; not the page, and nothing that opens a dialog. */
const toKept = (given: Record<string, unknown>): TerminalsSearch => {
  const { page: _page, create: _create, snapshot: _snapshot, ...kept } = toTerminalsSearch(given);
  return kept;
};

/** The saved views of the list. */
export const TerminalViews = ({ asked }: { asked: TerminalsSearch }) => {
  const navigate = useNavigate({ from: '/terminals' });
  return (
    <Views
      page="terminals"
      search={asked}
      toKept={toKept}
      columns={{ names: toChosen(useColumns()), choose: chooseColumns }}
      onShow={(given) => void navigate({ search: toKept(given) })}
    />
  );
};
