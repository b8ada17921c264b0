import type { Inside } from '@berth/kit';
import { TERMINAL_FILE } from '../files/text-file.ts';
import { StepFailure } from '../step-failure.ts';
import { toSha256 } from './download.ts';

/** The program of an expert as a chart names it (`Experts\Name.ex5`), below the terminal's root. */
const toProgramFile = (expertPath: string): string => `MQL5/${expertPath}`;

/** As large as a file that a task brings along. */
const MAX_PROGRAM_BYTES = 32 * 1024 * 1024;

/** SHA-256 of an expert's program; undefined where there is none. */
export const findProgramSha256 = async (files: Inside, expertPath: string): Promise<string | undefined> => {
  const bytes = await files.findBytes(toProgramFile(expertPath), MAX_PROGRAM_BYTES);
  return bytes && toSha256(bytes);
};

/** Puts a program in place and reads it back. Throws E_FILE when the disk gives back something else. */
export const writeProgram = async (files: Inside, expertPath: string, content: Buffer): Promise<void> => {
  await files.replaceFile(toProgramFile(expertPath), content, TERMINAL_FILE);
  if ((await findProgramSha256(files, expertPath)) === toSha256(content)) return;
  throw new StepFailure('E_FILE', 'The program was written but reads back differently. Check the disk of the host.');
};

export const deleteProgram = (files: Inside, expertPath: string): Promise<void> =>
  files.removeFile(toProgramFile(expertPath));

/** Remembers a program as it is now. @returns how to put it back. */
export const takeProgramSnapshot = async (files: Inside, expertPath: string): Promise<() => Promise<void>> => {
  const bytes = await files.findBytes(toProgramFile(expertPath), MAX_PROGRAM_BYTES);
  return async () => {
    if (!bytes) return deleteProgram(files, expertPath);
    // What is as it was needs no room on a disk that may be full.
    if ((await findProgramSha256(files, expertPath)) !== toSha256(bytes)) await writeProgram(files, expertPath, bytes);
  };
};
