import { SideSheet } from '../../parts/side-sheet.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { ColumnsMenu } from './columns-menu.tsx';
import { Choices, OrderChoice } from './filters.tsx';
import type { TerminalsSearch } from './search.ts';

export interface FilterSheetProps {
  asked: TerminalsSearch;
  isOpen: boolean;
  onClose: () => void;
}

/** Region, project, order and columns of the list. */
export const FilterSheet = ({ asked, isOpen, onClose }: FilterSheetProps) => (
  <SideSheet title={pageTexts.terminals.filterTitle} isOpen={isOpen} onClose={onClose}>
    <div className="filter-sheet">
      <Choices asked={asked} />
      <OrderChoice asked={asked} />
      <ColumnsMenu />
    </div>
  </SideSheet>
);
