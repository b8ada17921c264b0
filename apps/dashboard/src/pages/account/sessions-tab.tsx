import type { BrowserSession } from '@berth/client';
import { useState } from 'react';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/item-dialog.tsx';
import { Listing } from '../../parts/listing.tsx';
import { NameCell } from '../../parts/name-cell.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { ZoneNote } from '../../parts/zone.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { useSessions } from './account-data.ts';

const words = pageTexts.account.sessions;
const { columns } = words;

const toDevice = ({ device }: BrowserSession): string => (device === '' ? words.unknown : device);

const Row = ({ session }: { session: BrowserSession }) => {
  const end = useAction({
    run: () => berth.account.sessions.delete(session.id),
    done: () => words.ended(toDevice(session)),
    touches: () => [keys.account.sessions],
  });
  return (
    <tr>
      <NameCell badge={session.is_current && words.current}>{toDevice(session)}</NameCell>
      <td data-card="below" className="num">
        {session.last_used_at === null ? null : <Time at={session.last_used_at} />}
      </td>
      <td className="num">
        <Time at={session.created_at} as="moment" />
      </td>
      <td className="num">
        <Time at={session.expires_at} as="moment" />
      </td>
      <td data-card="end" className="num">
        <Button
          kind="danger"
          isBusy={end.isRunning}
          whyNot={session.is_current ? words.endCurrent : undefined}
          onClick={() => end.run(undefined)}
        >
          {words.end}
        </Button>
      </td>
    </tr>
  );
};

const EndOthers = ({ whyNot }: { whyNot: string | undefined }) => {
  const [isOpen, setOpen] = useState(false);
  const end = useAction({
    run: () => berth.account.sessions.deleteOthers(),
    done: () => words.othersEnded,
    touches: () => [keys.account.sessions],
    onDone: () => setOpen(false),
  });
  return (
    <>
      <Button kind="danger" whyNot={whyNot} onClick={() => setOpen(true)}>
        {words.endOthers}
      </Button>
      <Confirm
        item={isOpen || undefined}
        title={words.endOthersTitle}
        lead={words.endOthersLead}
        verb={words.endOthers}
        action={end}
        onClose={() => setOpen(false)}
      />
    </>
  );
};

export const SessionsTab = () => {
  const sessions = useSessions();
  const { data } = sessions;
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 basis-72 text-ink-2">{words.lead}</p>
        <EndOthers whyNot={data !== undefined && data.length < 2 ? words.onlyThis : undefined} />
      </div>
      <Listing reading={sessions}>
        <Table
          caption={words.caption}
          columns={[columns.device, { number: columns.used }, { number: columns.created }, { number: columns.expires }]}
          actions={columns.actions}
          items={data}
          expected={2}
        >
          {(session) => <Row key={session.id} session={session} />}
        </Table>
        <ZoneNote />
      </Listing>
    </>
  );
};
