/** An EA's file, on its way from the user's machine to the host. */
import { MAX_FILE_BYTES } from '@berth/contract/values';
import type { StoredFile } from '@berth/client';
import { berth } from '../../../data/berth.ts';
import { toFileName } from '../../../data/file-name.ts';
import { pageTexts } from '../../../texts/page-texts.ts';
import { texts } from '../../../texts/texts.ts';

const words = pageTexts.terminalExperts.install;
/** 32 MiB over a slow line: longer than any other request. */
const UPLOAD_MS = 10 * 60_000;

/** A problem with a file before it is uploaded; undefined where there is none. */
export const findFileError = (file: File): string | undefined =>
  file.size > MAX_FILE_BYTES ? words.tooLarge : undefined;

export const uploadExpert = (file: File): Promise<StoredFile> =>
  berth.files.upload(toFileName(file), file, { timeoutMs: UPLOAD_MS });

export const toSize = (bytes: number): string => {
  const kib = bytes / 1024;
  return kib < 1024
    ? `${Math.max(0.1, kib).toLocaleString(texts.locale, { maximumFractionDigits: 1 })} KiB`
    : `${(kib / 1024).toLocaleString(texts.locale, { maximumFractionDigits: 1 })} MiB`;
};
