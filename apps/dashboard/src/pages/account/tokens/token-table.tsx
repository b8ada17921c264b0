import type { Token } from '@berth/client';
import { Button } from '../../../parts/button.tsx';
import { useNow } from '../../../parts/clock.ts';
import { NameCell } from '../../../parts/name-cell.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { ZoneNote } from '../../../parts/zone.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';

const words = pageTexts.account.tokens;
const { columns } = words;
const MINUTE_MS = 60_000;

const toScopes = ({ abilities }: Token): string =>
  abilities.map((ability) => (ability === '*' ? words.all : words.scopeNames[ability])).join(', ');

const Expiry = ({ at }: { at: string | null }) => {
  const now = useNow(MINUTE_MS);
  if (at === null) return <span className="none">{words.neverExpires}</span>;
  if (Date.parse(at) <= now) return <span className="text-bad">{words.expired}</span>;
  return <Time at={at} as="moment" />;
};

const Row = ({ token, onRevoke }: { token: Token; onRevoke: (token: Token) => void }) => (
  <tr>
    <NameCell>{token.name}</NameCell>
    <td data-card="below">{toScopes(token)}</td>
    <td className="num">
      {token.last_used_at === null ? <span className="none">{words.neverUsed}</span> : <Time at={token.last_used_at} />}
    </td>
    <td className="num">
      <Expiry at={token.expires_at} />
    </td>
    <td className="num">
      <Time at={token.created_at} as="moment" />
    </td>
    <td data-card="end" className="num">
      <Button kind="danger" onClick={() => onRevoke(token)}>
        {words.revoke}
      </Button>
    </td>
  </tr>
);

export interface TokenTableProps {
  /** Undefined while they are read. */
  tokens: readonly Token[] | undefined;
  onRevoke: (token: Token) => void;
}

export const TokenTable = ({ tokens, onRevoke }: TokenTableProps) => (
  <>
    <Table
      caption={words.caption}
      columns={[
        columns.name,
        columns.scopes,
        { number: columns.used },
        { number: columns.expires },
        { number: columns.created },
      ]}
      actions={columns.actions}
      items={tokens}
      expected={3}
    >
      {(token) => <Row key={token.id} token={token} onRevoke={onRevoke} />}
    </Table>
    <ZoneNote />
  </>
);
