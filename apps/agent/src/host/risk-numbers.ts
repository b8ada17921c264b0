import type { SeenAccount } from '../account/accounts.ts';
import type { SeenNumbers } from '../risk/guarded-terminal.ts';

/** What risk rules look at. */
export const toNumbers = ({
  login,
  server,
  balance,
  equity,
  credit,
  currency,
  positions,
  positions_total,
  is_synchronized,
}: SeenAccount['state']): SeenNumbers => ({
  ...{ login, server, balance, equity, credit, currency },
  volumes: positions.map(({ volume }) => volume),
  positions: positions_total,
  isSynchronised: is_synchronized,
});
