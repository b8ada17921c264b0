import type { LibraryExpert } from '@berth/client';
import { Puzzle } from 'lucide-react';
import { useState } from 'react';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { useExperts } from '../../data/experts.ts';
import { keys } from '../../data/keys.ts';
import { Button } from '../../parts/button.tsx';
import { toBytesText } from '../../parts/bytes.ts';
import { Confirm } from '../../parts/item-dialog.tsx';
import { Listing } from '../../parts/listing.tsx';
import { NameCell } from '../../parts/name-cell.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useBeginRun } from '../../runs/requests.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { findNewerFile } from './newer-file.ts';
import { UploadPlace } from './upload.tsx';

const words = pageTexts.library;
const { columns } = words;

/** An expert that runs, and the file that is to replace it. */
interface Update {
  expert: LibraryExpert;
  file: NonNullable<LibraryExpert['file']>;
}

interface RowProps {
  expert: LibraryExpert;
  newer: Update['file'] | undefined;
  onUpdate: (update: Update) => void;
}

const Row = ({ expert, newer, onUpdate }: RowProps) => {
  const { name, sha256, file, terminals } = expert;
  return (
    <tr>
      <NameCell>{name}</NameCell>
      <td data-card="below" className="num">
        {sha256 === null ? words.unread : <code title={sha256}>{sha256.slice(0, 10)}</code>}
      </td>
      <td className="num">{file === null ? '' : toBytesText(file.size)}</td>
      <td className="num">{file === null ? words.noFile : <Time at={file.created_at} />}</td>
      <td data-card="below" className="num">
        {words.terminals(terminals)}
      </td>
      <td data-card="end" className="num">
        {newer === undefined ? null : (
          <Button aria-label={words.updateOf(name)} onClick={() => onUpdate({ expert, file: newer })}>
            {words.update}
          </Button>
        )}
      </td>
    </tr>
  );
};

/** Asks, and starts the run on the terminals that have the old program at that moment. */
const UpdateDialog = ({ update, onClose }: { update: Update | undefined; onClose: () => void }) => {
  const begin = useBeginRun();
  const start = useAction({
    run: async ({ expert: { name, sha256 } }: Update) => {
      const found = await berth.files.experts({ sha256: sha256 ?? '' });
      return found.find((one) => one.name === name)?.terminal_ids ?? [];
    },
    touches: () => [keys.account.experts],
    onDone: (ids, { expert, file }) => {
      onClose();
      // Somebody was quicker.
      if (ids.length === 0) return;
      begin({ type: 'EA_UPDATE', terminal_ids: ids, payload: { name: expert.name, file_id: file.id } });
    },
  });
  return (
    <Confirm
      item={update}
      title={words.title}
      lead={({ expert, file }) => words.text(expert.name, expert.terminals, file.name)}
      verb={({ expert }) => words.confirm(expert.terminals)}
      kind="primary"
      action={start}
      onClose={onClose}
    />
  );
};

/** Experts: which version runs on how many terminals, and which file would replace it. */
export const ExpertsTab = () => {
  const experts = useExperts();
  const [update, setUpdate] = useState<Update>();
  return (
    <>
      <p className="mb-4 text-ink-2">{words.lead}</p>
      <UploadPlace />
      <Listing
        reading={experts}
        empty={{ icon: <Puzzle aria-hidden="true" />, title: words.none, children: words.noneText }}
      >
        <Table
          caption={words.caption}
          columns={[
            columns.name,
            { number: columns.version },
            { number: columns.size },
            { number: columns.uploaded },
            { number: columns.terminals },
          ]}
          actions={columns.actions}
          items={experts.data}
          expected={3}
        >
          {(expert) => (
            <Row
              key={`${expert.sha256} ${expert.name}`}
              expert={expert}
              newer={findNewerFile(expert, experts.data ?? [])}
              onUpdate={setUpdate}
            />
          )}
        </Table>
      </Listing>
      <UpdateDialog update={update} onClose={() => setUpdate(undefined)} />
    </>
  );
};
