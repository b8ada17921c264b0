import type { TerminalItem } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { pageTexts } from '../texts/page-texts.ts';

/** That another terminal is on the same account, as long as it is. */
export const SameAccount = ({
  terminal: { same_account_as: other },
}: {
  terminal: Pick<TerminalItem, 'same_account_as'>;
}) => {
  if (!other) return null;
  const { before, after } = pageTexts.frame.sameAccount;
  return (
    <small className="same-account">
      {before}{' '}
      <Link to="/terminals/$id" params={{ id: other.id }} className="link">
        <bdi>{other.name}</bdi>
      </Link>
      {after}
    </small>
  );
};
