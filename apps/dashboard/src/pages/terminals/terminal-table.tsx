import type { AccountOverview, AccountTotals, Region, TerminalItem, TerminalOverview } from '@berth/client';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useCallback, useRef, type ReactNode } from 'react';
import { Skeleton } from '../../parts/skeleton.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import { cardPlaces, columnClasses, type ColumnName } from './columns.ts';
import { TotalCell, type MoneyColumn } from './money-cells.tsx';
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
}: Sorting & { column: SortColumn; children: string; className?: string | undefined }) => {
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

const SkeletonRow = ({ columns: shown, label }: { columns: readonly ColumnName[]; label: ReactNode }) => (
  <tr>
    <td className="tick" data-card="tick">
      <Skeleton className="h-4 w-4" />
    </td>
    <td className="wide" data-card="name">
      <Skeleton className="h-4 w-36" />
      {label}
    </td>
    <td data-card="state">
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
  overviews: ReadonlyMap<string, TerminalOverview>;
  accounts: ReadonlyMap<string, AccountOverview>;
  /** Of all that match, a row per currency. */
  totals: readonly AccountTotals[];
  columns: readonly ColumnName[];
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
  return sort === undefined ? (
    <th scope="col" className={className}>
      {columns[column]}
    </th>
  ) : (
    <SortHead column={sort} className={className} {...sorting}>
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
      <SortHead column="name" {...sorting}>
        {columns.terminal}
      </SortHead>
      <SortHead column="status" {...sorting}>
        {columns.status}
      </SortHead>
      {shown.map((column) => (
        <ColumnHead key={column} column={column} {...sorting} />
      ))}
    </tr>
  </thead>
);

const money: ReadonlySet<ColumnName> = new Set(['equity', 'today', 'drawdown', 'profit', 'positions', 'balance']);
const isMoney = (column: ColumnName): column is MoneyColumn => money.has(column);

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

/** The list: its rows are cards on a phone. */
export const TerminalTable = (props: TerminalTableProps) => {
  const { terminals, overviews, accounts, totals, regions, columns: shown, selection } = props;
  const onSelect = useTicks(terminals, selection);
  const reading = <span className="sr-only">{texts.loading}</span>;
  return (
    <table className="table terminals" aria-busy={terminals === undefined}>
      <caption className="sr-only">{words.caption}</caption>
      <Head {...props} />
      <Totals totals={totals} columns={shown} />
      <tbody>
        {terminals === undefined
          ? Array.from({ length: SKELETON_ROWS }, (_row, row) => (
              <SkeletonRow key={row} columns={shown} label={row === 0 ? reading : null} />
            ))
          : terminals.map((terminal) => (
              <TerminalRow
                key={terminal.id}
                columns={shown}
                terminal={terminal}
                overview={overviews.get(terminal.id)}
                account={accounts.get(terminal.id)}
                region={regions.find(({ id }) => id === terminal.region)}
                isSelected={selection.items.has(terminal.id)}
                onSelect={onSelect}
              />
            ))}
      </tbody>
    </table>
  );
};
