import { texts } from '../texts/texts.ts';

/** Has the place that the content will have, so that nothing jumps. Sizes are classes of Tailwind: `h-4 w-40`. */
export const Skeleton = ({ className }: { className: string }) => (
  <div className={`skeleton ${className}`} aria-hidden="true" />
);

/** Rows of a table that is being read; said once to a screen reader. */
export const SkeletonRows = ({ rows, columns }: { rows: number; columns: number }) =>
  Array.from({ length: rows }, (_row, row) => (
    <tr key={row}>
      {Array.from({ length: columns }, (_cell, column) => (
        <td key={column} data-card={column === 0 ? 'name' : undefined}>
          <Skeleton className={column === 0 ? 'h-4 w-36' : 'h-4 w-20'} />
          {row === 0 && column === 0 ? <span className="sr-only">{texts.reading}</span> : null}
        </td>
      ))}
    </tr>
  ));
