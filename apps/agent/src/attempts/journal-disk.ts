import { readFile } from 'node:fs/promises';
import { replaceAndOpenFile } from '@berth/kit';

/** A file that is appended to. Data written before a `datasync` survives a power cut; the rest may be torn anywhere. */
export interface AppendableFile {
  appendFile(text: string): Promise<unknown>;
  datasync(): Promise<void>;
  truncate(sizeBytes: number): Promise<void>;
  close(): Promise<void>;
}

/** The disk as a journal sees it; a parameter, so that tests can use one that fails. */
export interface DurableFiles {
  /** The file's text; empty where there is no file. */
  read(path: string): Promise<string>;
  /** Like `replaceAndOpenFile`. */
  replaceAndOpen(path: string, content: string): Promise<AppendableFile>;
}

export const systemFiles: DurableFiles = {
  read: async (path) => {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw error;
    }
  },
  replaceAndOpen: replaceAndOpenFile,
};
