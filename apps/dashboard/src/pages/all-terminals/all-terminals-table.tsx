import type { OperatorTerminal } from '@berth/client';
import { toTerminalStatusName } from '@berth/contract/values';
import { Button } from '../../parts/button.tsx';
import { NameCell } from '../../parts/name-cell.tsx';
import { Table } from '../../parts/table.tsx';
import { TerminalStatusMark } from '../../parts/terminal-status.tsx';
import { Time } from '../../parts/time.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import type { AllTerminalsSearch } from './search.ts';

const words = pageTexts.allTerminals;
const { columns } = words;

interface RowProps {
  terminal: OperatorTerminal;
  onShow: (change: AllTerminalsSearch) => void;
}

const Row = ({ terminal, onShow }: RowProps) => {
  const { id, name, user, host, status, status_reason: reason, platform, queue_place: place, since } = terminal;
  return (
    <tr>
      <NameCell note={platform}>{name}</NameCell>
      <td data-card="below">
        <button type="button" className="link" title={user.email} onClick={() => onShow({ user: user.id })}>
          <bdi>{user.name}</bdi>
        </button>
      </td>
      <td data-card="below">
        <TerminalStatusMark status={status} reason={reason} />
        {place === null ? null : <small className="block text-ink-2">{words.queuePlace(place)}</small>}
      </td>
      <td data-card="below" data-label={columns.host}>
        {host === null ? (
          <span className="none">{words.noHost}</span>
        ) : (
          <button type="button" className="link" onClick={() => onShow({ host: host.id })}>
            <bdi>{host.name}</bdi>
          </button>
        )}
      </td>
      <td className="num" data-card="below" data-label={columns.since}>
        <Time at={since} />
      </td>
      <td data-card="end" className="num">
        {toTerminalStatusName(status) === 'ACTIVE' ? null : (
          <Button aria-label={words.whyOf(name)} onClick={() => onShow({ why: id })}>
            {words.why}
          </Button>
        )}
      </td>
    </tr>
  );
};

export interface AllTerminalsTableProps extends Pick<RowProps, 'onShow'> {
  /** Undefined while loading. */
  terminals: readonly OperatorTerminal[] | undefined;
}

export const AllTerminalsTable = ({ terminals, onShow }: AllTerminalsTableProps) => (
  <Table
    caption={words.caption}
    columns={[columns.terminal, columns.user, columns.status, columns.host, { number: columns.since }]}
    actions={columns.actions}
    items={terminals}
    expected={6}
  >
    {(terminal) => <Row key={terminal.id} terminal={terminal} onShow={onShow} />}
  </Table>
);
