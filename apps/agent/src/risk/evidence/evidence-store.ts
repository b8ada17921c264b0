/**
 * The disk of evidence: a file per breach, one line of JSON after another. A crash leaves at most one unfinished line, at
 * the end; it is cut off before anything follows it.
 */
import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';

/** An interface, so that a test can use a disk that fails. */
export interface EvidenceStore {
  /** Ids of breaches. */
  list(): Promise<string[]>;
  read(breachId: string): Promise<string>;
  /** On the disk when this resolves. @param offset bytes that are there; what a failed write left behind them is overwritten */
  append(breachId: string, text: string, offset: number): Promise<void>;
  cut(breachId: string, sizeBytes: number): Promise<void>;
  remove(breachId: string): Promise<void>;
}

const FILE = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/;

/** @param folder is created when absent */
export const openEvidenceStore = async (folder: string): Promise<EvidenceStore> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const toPath = (breachId: string) => join(folder, `${breachId}.jsonl`);
  return {
    list: async () => (await readdir(folder)).flatMap((name) => FILE.exec(name)?.[1] ?? []).sort(),
    read: (breachId) => readFile(toPath(breachId), 'utf8'),
    append: async (breachId, text, offset) => {
      const file = await open(toPath(breachId), constants.O_CREAT | constants.O_RDWR, 0o600);
      try {
        await file.truncate(offset);
        const bytes = Buffer.from(text);
        for (let done = 0; done < bytes.length;) {
          done += (await file.write(bytes, done, bytes.length - done, offset + done)).bytesWritten;
        }
        await file.datasync();
      } finally {
        await file.close();
      }
    },
    cut: (breachId, sizeBytes) => truncate(toPath(breachId), sizeBytes),
    remove: (breachId) => rm(toPath(breachId), { force: true }),
  };
};
