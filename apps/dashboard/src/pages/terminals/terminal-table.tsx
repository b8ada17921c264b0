import type { AccountOverview, AccountTotals, Region, TerminalItem, TerminalOverview } from '@berth/client';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useCallback, useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { useRowKeys } from '../../parts/row-keys.ts';
import { Skeleton } from '../../parts/skeleton.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import { cardPlaces, columnClasses, columnWidths, isMoney, toMinWidth, type ColumnName } from './columns.ts';
import { TotalCell } from './money-cells.tsx';
import type { Direction, SortColumn } from './search.ts';
import type { Selection } from './selection.ts';
import { TerminalRow } from './terminal-row.tsx';
import type { Known } from './terminals-data.ts';

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
  width,
  ...sorting
}: Sorting & { column: SortColumn; children: string; className?: string | undefined; width?: number }) => {
  const { sort, direction, onSort } = sorting;
  const isChosen = sort === column;
  const Arrow = direction === 'asc' ? ArrowUp : ArrowDown;
  return (
    <th
      scope="col"
      className={className}
      style={{ width }}
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

const SkeletonRow = ({ columns: shown, label }: { columns: readonly ColumnName[]; label: ReactNode }) => (
  <tr>
    <td className="tick" data-card="tick">
      <Skeleton className="h-4 w-4" />
    </td>
    <td className="wide" data-card="name">
      <Skeleton className="h-4 w-36" />
      {label}
    </td>
    <td data-card="state" className="col-status">
      <Skeleton className="h-4 w-16" />
    </td>
    {shown.map((column) => (
      <td key={column} className={columnClasses[column]} data-card={cardPlaces[column]}>
        <Skeleton className={column === 'screenshot' ? 'h-[33px] w-[58px]' : 'h-4 w-16'} />
      </td>
    ))}
  </tr>
);

export interface TerminalTableProps extends Sorting {
  /** undefined while loading: skeleton rows reserve the space. */
  terminals: readonly TerminalItem[] | undefined;
  overviews: Known<TerminalOverview>;
  accounts: Known<AccountOverview>;
  /** Of all that match, a row per currency. */
  totals: readonly AccountTotals[];
  columns: readonly ColumnName[];
  /** Nobody chose the columns: those that there is no room for are left out. */
  isUsual: boolean;
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

/** What a column is sorted by; the others have no order. */
const sortOf: Partial<Record<ColumnName, SortColumn>> = {
  server: 'server_name',
  equity: 'equity',
  today: 'today',
  drawdown: 'drawdown',
  profit: 'profit',
  positions: 'positions',
};

const ColumnHead = ({ column, ...sorting }: Sorting & { column: ColumnName }) => {
  const sort = sortOf[column];
  const className = columnClasses[column];
  const width = columnWidths[column];
  return sort === undefined ? (
    <th scope="col" className={className} style={{ width }}>
      {columns[column]}
    </th>
  ) : (
    <SortHead column={sort} className={className} width={width} {...sorting}>
      {columns[column]}
    </SortHead>
  );
};

const Head = ({ terminals, selection, columns: shown, ...sorting }: TerminalTableProps) => (
  <thead>
    <tr>
      <th scope="col" className="tick">
        <SelectPage shown={terminals ?? []} selection={selection} />
      </th>
      <SortHead column="name" className="wide" {...sorting}>
        {columns.terminal}
      </SortHead>
      <SortHead column="status" className="col-status" {...sorting}>
        {columns.status}
      </SortHead>
      {shown.map((column) => (
        <ColumnHead key={column} column={column} {...sorting} />
      ))}
    </tr>
  </thead>
);

/** One row a currency, never converted, above the rows that it sums. */
const Totals = ({ totals, columns: shown }: Pick<TerminalTableProps, 'totals' | 'columns'>) =>
  totals.length === 0 || !shown.some(isMoney) ? null : (
    <tbody className="totals">
      {totals.map((each) => (
        <tr key={each.currency} className="total-row">
          <td className="tick" />
          <td data-card="name">
            <b>{each.currency}</b> <small>{words.money.accounts(each.accounts)}</small>
          </td>
          <td>{each.not_current > 0 ? <small>{words.money.notCurrent(each.not_current)}</small> : null}</td>
          {shown.map((column) => (
            <td
              key={column}
              className={columnClasses[column]}
              data-card={column === 'equity' || column === 'today' ? column : undefined}
            >
              {isMoney(column) ? <TotalCell column={column} totals={each} /> : null}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );

/** Whether the table is wider than the page. Then it scrolls by itself, under its head. */
const useIsTooWide = (sheet: RefObject<HTMLElement | null>): boolean => {
  const [isTooWide, setTooWide] = useState(false);
  useLayoutEffect(() => {
    const { current } = sheet;
    const table = current?.firstElementChild;
    if (!table) return;
    const look = (): void => setTooWide(table.scrollWidth > current.clientWidth);
    const observer = new ResizeObserver(look);
    for (const element of [current, table]) observer.observe(element);
    return () => observer.disconnect();
  }, [sheet]);
  return isTooWide;
};

/** The list: its rows are cards on a phone. */
export const TerminalTable = (props: TerminalTableProps) => {
  const { terminals, overviews, accounts, totals, regions, columns: shown, isUsual, selection } = props;
  const onSelect = useTicks(terminals, selection);
  const sheet = useRef<HTMLDivElement>(null);
  const isTooWide = useIsTooWide(sheet);
  useRowKeys(sheet);
  const reading = <span className="sr-only">{texts.loading}</span>;
  return (
    <div className="sheet list-sheet" ref={sheet} data-too-wide={isTooWide || undefined}>
      <table
        className="table terminals"
        data-usual={isUsual || undefined}
        style={isUsual ? undefined : { minWidth: toMinWidth(shown) }}
        aria-busy={terminals === undefined}
      >
        <caption className="sr-only">{words.caption}</caption>
        <Head {...props} />
        <Totals totals={totals} columns={shown} />
        <tbody className="rows">
          {terminals === undefined
            ? Array.from({ length: SKELETON_ROWS }, (_row, row) => (
                <SkeletonRow key={row} columns={shown} label={row === 0 ? reading : null} />
              ))
            : terminals.map((terminal) => (
                <TerminalRow
                  key={terminal.id}
                  columns={shown}
                  terminal={terminal}
                  overview={overviews(terminal.id)}
                  account={accounts(terminal.id)}
                  region={regions.find(({ id }) => id === terminal.region)}
                  isSelected={selection.items.has(terminal.id)}
                  onSelect={onSelect}
                />
              ))}
        </tbody>
      </table>
    </div>
  );
};
