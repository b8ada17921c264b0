import { useRef, type ReactNode } from 'react';
import { texts } from '../texts/texts.ts';
import { useRowKeys } from './row-keys.ts';
import { Skeleton } from './skeleton.tsx';

/** The header of a column: its name; `number` for a right-aligned column of figures. The class hides it with its cells. */
export type Column = string | { number: string; className?: string } | { name: string; className: string };

export interface TableProps<Item> {
  caption: string;
  columns: readonly Column[];
  /** Of the last column, with the buttons: for screen readers. Undefined: there is none. */
  actions?: string;
  /** Undefined while loading: `expected` skeleton rows reserve the space. */
  items: readonly Item[] | undefined;
  expected: number;
  /** The row of an item, with its key. */
  children: (item: Item) => ReactNode;
}

const Head = ({ column }: { column: Column }) => {
  if (typeof column === 'string') return <th scope="col">{column}</th>;
  const { className = '' } = column;
  return (
    <th scope="col" className={'number' in column ? `num ${className}` : className}>
      {'number' in column ? column.number : column.name}
    </th>
  );
};

/** Rows of a table that is loading; announced once to a screen reader. */
const SkeletonRows = ({ rows, columns }: { rows: number; columns: number }) =>
  Array.from({ length: rows }, (_row, row) => (
    <tr key={row}>
      {Array.from({ length: columns }, (_cell, column) => (
        <td key={column} data-card={column === 0 ? 'name' : undefined}>
          <Skeleton className={column === 0 ? 'h-4 w-36' : 'h-4 w-20'} />
          {row === 0 && column === 0 ? <span className="sr-only">{texts.loading}</span> : null}
        </td>
      ))}
    </tr>
  ));

/** A list in columns; its rows are cards on a phone (`data-card`). */
export const Table = <Item,>({ caption, columns, actions, items, expected, children }: TableProps<Item>) => {
  const table = useRef<HTMLTableElement>(null);
  useRowKeys(table);
  return (
    <table className="table" aria-busy={items === undefined} ref={table}>
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column, index) => (
            <Head key={index} column={column} />
          ))}
          {actions === undefined ? null : (
            <th scope="col">
              <span className="sr-only">{actions}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {items === undefined ? (
          <SkeletonRows rows={expected} columns={columns.length + (actions === undefined ? 0 : 1)} />
        ) : (
          items.map(children)
        )}
      </tbody>
    </table>
  );
};
