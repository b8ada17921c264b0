import type { LibraryExpert } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { Puzzle } from 'lucide-react';
import { useState } from 'react';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { Button } from '../../parts/button.tsx';
import { toBytesText } from '../../parts/bytes.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
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
      <td data-card="name" className="wide">
        <span className="row-name">
          <b>
            <bdi>{name}</bdi>
          </b>
        </span>
      </td>
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
    <Dialog
      title={words.title}
      description={update && words.text(update.expert.name, update.expert.terminals, update.file.name)}
      isOpen={update !== undefined}
      onClose={onClose}
      actions={
        <Button kind="primary" isBusy={start.isRunning} onClick={() => (update ? start.run(update) : undefined)}>
          {words.confirm(update?.expert.terminals ?? 0)}
        </Button>
      }
    />
  );
};

/** Experts: which version runs on how many terminals, and which file would replace it. */
export const ExpertsTab = () => {
  const { data, error, refetch } = useQuery({
    queryKey: keys.account.experts,
    queryFn: ({ signal }) => berth.files.experts({}, { signal }),
    // What runs is seen by hosts: nothing announces it here.
    refetchInterval: 15_000,
  });
  const [update, setUpdate] = useState<Update>();
  return (
    <>
      <p className="mb-4 text-ink-2">{words.lead}</p>
      <UploadPlace />
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {error !== null && data === undefined ? null : (
        <Sheet>
          {data?.length === 0 ? (
            <EmptyState icon={<Puzzle aria-hidden="true" />} title={words.none}>
              {words.noneText}
            </EmptyState>
          ) : (
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
              items={data}
              expected={3}
            >
              {(expert) => (
                <Row
                  key={`${expert.sha256} ${expert.name}`}
                  expert={expert}
                  newer={findNewerFile(expert, data ?? [])}
                  onUpdate={setUpdate}
                />
              )}
            </Table>
          )}
        </Sheet>
      )}
      <UpdateDialog update={update} onClose={() => setUpdate(undefined)} />
    </>
  );
};
