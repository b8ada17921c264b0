import type { StoredFile } from '@berth/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download, FileBox, Trash2 } from 'lucide-react';
import { useAsked } from '../../data/asked.ts';
import { toFileAddress } from '../../data/address.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { Button } from '../../parts/button.tsx';
import { toBytesText } from '../../parts/bytes.ts';
import { Confirm } from '../../parts/item-dialog.tsx';
import { PagedListing } from '../../parts/listing.tsx';
import { NameCell } from '../../parts/name-cell.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { useFiles } from './account-data.ts';
import { StorageMeter } from './storage-meter.tsx';
import { UploadPlace } from './upload.tsx';

const words = pageTexts.account.files;
const { columns } = words;

const Row = ({ file, onDelete }: { file: StoredFile; onDelete: (file: StoredFile) => void }) => (
  <tr>
    <NameCell>{file.name}</NameCell>
    <td data-card="below" className="num">
      {toBytesText(file.size)}
    </td>
    <td>{file.type}</td>
    <td className="num">
      <Time at={file.created_at} />
    </td>
    <td data-card="end" className="num">
      <span className="inline-flex gap-1">
        <a
          className="button"
          data-kind="bare"
          data-icon-only=""
          href={toFileAddress(file.id)}
          download
          aria-label={words.downloadOf(file.name)}
          title={words.download}
        >
          <Download aria-hidden="true" />
        </a>
        <Button
          kind="bare"
          icon={<Trash2 />}
          aria-label={words.deleteOf(file.name)}
          title={words.delete}
          onClick={() => onDelete(file)}
        />
      </span>
    </td>
  </tr>
);

/** A page of files, with the storage used by all of them. */
export const FilesTab = () => {
  const { page = 1 } = useSearch({ from: '/in/account' });
  const navigate = useNavigate({ from: '/account' });
  const files = useFiles(page);
  const remove = useAsked({
    run: ({ id }: StoredFile) => berth.files.delete(id),
    done: (_nothing, { name }) => words.deleted(isolate(name)),
    touches: () => [keys.account.all],
  });
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 basis-72 text-ink-2">{words.lead}</p>
        <StorageMeter />
      </div>
      <UploadPlace />
      <PagedListing
        reading={files}
        empty={{ icon: <FileBox aria-hidden="true" />, title: words.none, children: words.noneText }}
        page={page}
        onPage={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
      >
        <Table
          caption={words.caption}
          columns={[columns.name, { number: columns.size }, columns.type, { number: columns.created }]}
          actions={columns.actions}
          items={files.data?.data}
          expected={4}
        >
          {(file) => <Row key={file.id} file={file} onDelete={remove.ask} />}
        </Table>
      </PagedListing>
      <Confirm
        {...remove.dialog}
        title={words.deleteTitle}
        lead={({ name }) => words.deleteLead(isolate(name))}
        verb={words.deleteFile}
      />
    </>
  );
};
