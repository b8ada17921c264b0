import type { Region, TerminalItem, TerminalOverview } from '@berth/client';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useCallback, useRef, type ReactNode } from 'react';
import { Skeleton } from '../../parts/skeleton.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import type { Direction, SortColumn } from './search.ts';
import type { Selection } from './selection.ts';
import { TerminalRow } from './terminal-row.tsx';

const words = pageTexts.terminals;
const { columns } = words;

interface Sorting {
  sort: SortColumn;
  direction: Direction;
  onSort: (column: SortColumn) => void;
}

/** The header of a sortable column. */
const SortHead = ({
  column,
  children,
  className,
  ...sorting
}: Sorting & { column: SortColumn; children: string; className?: string }) => {
  const { sort, direction, onSort } = sorting;
  const isChosen = sort === column;
  const Arrow = direction === 'asc' ? ArrowUp : ArrowDown;
  return (
    <th
      scope="col"
      className={className}
      aria-sort={isChosen ? (direction === 'asc' ? 'ascending' : 'descending') : undefined}
    >
      <button type="button" className="sort-head" title={words.sortBy(children)} onClick={() => onSort(column)}>
        {children}
        {isChosen ? <Arrow aria-hidden="true" /> : null}
      </button>
    </th>
  );
};

const SelectPage = ({ shown, selection }: { shown: readonly TerminalItem[]; selection: Selection }) => {
  const count = shown.filter(({ id }) => selection.items.has(id)).length;
  const isAll = count > 0 && count === shown.length;
  return (
    <input
      type="checkbox"
      aria-label={words.selectPage}
      checked={isAll}
      disabled={shown.length === 0}
      ref={(element) => {
        if (element) element.indeterminate = count > 0 && !isAll;
      }}
      onChange={() => selection.set(shown, !isAll)}
    />
  );
};

const SKELETON_ROWS = 10;
const cells = ['tick', 'name', 'state', 'screenshot', 'below', '', 'ping', 'day', 'trading', ''];
const cellClasses = ['tick', 'wide', '', '', 'from-desk', 'from-full', 'num', 'from-wide', '', 'num from-full'];
const toSize = (index: number): string =>
  index === 0 ? 'h-4 w-4' : index === 1 ? 'h-4 w-36' : index === 3 ? 'h-[33px] w-[58px]' : 'h-4 w-16';

const SkeletonRow = ({ label }: { label: ReactNode }) => (
  <tr>
    {cells.map((card, index) => (
      <td key={index} data-card={card || undefined} className={cellClasses[index]}>
        <Skeleton className={toSize(index)} />
        {index === 1 ? label : null}
      </td>
    ))}
  </tr>
);

export interface TerminalTableProps extends Sorting {
  /** undefined while loading: skeleton rows reserve the space. */
  terminals: readonly TerminalItem[] | undefined;
  overviews: ReadonlyMap<string, TerminalOverview>;
  regions: readonly Region[];
  selection: Selection;
}

/** With Shift, everything since the last one that was ticked. */
const useTicks = (shown: readonly TerminalItem[] | undefined, { set }: Selection) => {
  const last = useRef<string>(undefined);
  return useCallback(
    (terminal: TerminalItem, isSelected: boolean, hasShift: boolean) => {
      const all = shown ?? [];
      const [from = -1, to = -1] = [last.current, terminal.id].map((id) => all.findIndex((one) => one.id === id));
      last.current = terminal.id;
      const isRange = hasShift && from >= 0 && to >= 0;
      set(isRange ? all.slice(Math.min(from, to), Math.max(from, to) + 1) : [terminal], isSelected);
    },
    [shown, set],
  );
};

const Head = ({ terminals, selection, ...sorting }: TerminalTableProps) => (
  <thead>
    <tr>
      <th scope="col" className="tick">
        <SelectPage shown={terminals ?? []} selection={selection} />
      </th>
      <SortHead column="name" {...sorting}>
        {columns.terminal}
      </SortHead>
      <SortHead column="status" {...sorting}>
        {columns.status}
      </SortHead>
      <th scope="col">{columns.screenshot}</th>
      <SortHead column="server_name" className="from-desk" {...sorting}>
        {columns.server}
      </SortHead>
      <th scope="col" className="from-full">
        {columns.region}
      </th>
      <th scope="col" className="num">
        {columns.ping}
      </th>
      <th scope="col" className="from-wide">
        {columns.day}
      </th>
      <th scope="col">{columns.trading}</th>
      <th scope="col" className="num from-full">
        {columns.memory}
      </th>
    </tr>
  </thead>
);

export const TerminalTable = (props: TerminalTableProps) => {
  const { terminals, overviews, regions, selection } = props;
  const onSelect = useTicks(terminals, selection);
  const reading = <span className="sr-only">{texts.loading}</span>;
  return (
    <table className="table terminals" aria-busy={terminals === undefined}>
      <caption className="sr-only">{words.caption}</caption>
      <Head {...props} />
      <tbody>
        {terminals === undefined
          ? Array.from({ length: SKELETON_ROWS }, (_row, row) => (
              <SkeletonRow key={row} label={row === 0 ? reading : null} />
            ))
          : terminals.map((terminal) => (
              <TerminalRow
                key={terminal.id}
                terminal={terminal}
                overview={overviews.get(terminal.id)}
                region={regions.find(({ id }) => id === terminal.region)}
                isSelected={selection.items.has(terminal.id)}
                onSelect={onSelect}
              />
            ))}
      </tbody>
    </table>
  );
};
