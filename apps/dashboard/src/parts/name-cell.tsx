import type { ReactNode } from 'react';

export interface NameCellProps {
  /** What the item is called, often by a user. */
  children: ReactNode;
  /** After the name, where it is given. */
  badge?: string | false | null | undefined;
  /** Below the name. */
  note?: ReactNode;
}

/** The cell of a row that says what it is about, and truncates long names. */
export const NameCell = ({ children, badge, note }: NameCellProps) => (
  <td data-card="name" className="wide">
    <span className="row-name">
      <b>
        <bdi>{children}</bdi>
      </b>{' '}
      {badge ? <span className="badge">{badge}</span> : null}
      {note === undefined ? null : (
        <small className="truncate font-text">
          <bdi>{note}</bdi>
        </small>
      )}
    </span>
  </td>
);
