import { MAX_FILE_BYTES } from '@berth/contract/values';
import { Upload } from 'lucide-react';
import { useRef, useState, type DragEvent } from 'react';
import { useAction } from '../../data/action.ts';
import { berth, toFileName } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { notify } from '../../data/notices.ts';
import { Button } from '../../parts/button.tsx';
import { toBytesText } from '../../parts/bytes.ts';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.account.files;
const MOST = toBytesText(MAX_FILE_BYTES);

/** Rejects immediately what the server would refuse after minutes of uploading. */
const canBeSent = ({ name, size }: File): boolean => {
  if (size > 0 && size <= MAX_FILE_BYTES) return true;
  notify({ kind: 'failed', text: size === 0 ? words.empty(isolate(name)) : words.tooLarge(isolate(name), MOST) });
  return false;
};

/** Accepts files by click or drop, and uploads one after the other. */
export const UploadPlace = () => {
  const field = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const upload = useAction({
    run: async (files: readonly File[]) => {
      for (const file of files) await berth.files.upload(toFileName(file), file);
    },
    done: (_nothing, files) => files.map(({ name }) => words.uploaded(isolate(name))).join(' '),
    touches: () => [keys.account.all],
  });
  const send = (files: FileList | null): void => {
    const good = [...(files ?? [])].filter(canBeSent);
    if (good.length > 0 && !upload.isRunning) upload.run(good);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    send(event.dataTransfer.files);
  };
  return (
    <div
      className="drop"
      data-over={isOver ? '' : undefined}
      onDragOver={(event) => [event.preventDefault(), setOver(true)]}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <input
        ref={field}
        type="file"
        multiple
        hidden
        aria-label={words.upload}
        onChange={({ target }) => {
          send(target.files);
          target.value = '';
        }}
      />
      <Button kind="primary" icon={<Upload />} isBusy={upload.isRunning} onClick={() => field.current?.click()}>
        {words.upload}
      </Button>
      <span className="text-ink-2">{words.uploadNote(MOST)}</span>
    </div>
  );
};
