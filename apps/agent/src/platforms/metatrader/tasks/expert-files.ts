import { rm } from 'node:fs/promises';
import { replaceFile } from '@berth/kit';
import { ensureParentFolder, toDiskPath } from '../files/disk-path.ts';
import { findBytes, TERMINAL_FILE } from '../files/text-file.ts';
import { StepFailure } from '../step-failure.ts';
import { toSha256 } from './download.ts';

/** The program of an expert as a chart names it (`Experts\Name.ex5`), below the terminal's root. */
const toProgramFile = (expertPath: string): string => `MQL5/${expertPath}`;

/** SHA-256 of an expert's program; undefined where there is none. */
export const findProgramSha256 = async (root: string, expertPath: string): Promise<string | undefined> => {
  const bytes = await findBytes(await toDiskPath(root, toProgramFile(expertPath)));
  return bytes && toSha256(bytes);
};

/** Puts a program in place and reads it back. Throws E_FILE when the disk gives back something else. */
export const writeProgram = async (root: string, expertPath: string, content: Buffer): Promise<void> => {
  await replaceFile(await ensureParentFolder(root, toProgramFile(expertPath)), content, TERMINAL_FILE);
  if ((await findProgramSha256(root, expertPath)) === toSha256(content)) return;
  throw new StepFailure('E_FILE', 'The program was written but reads back differently. Check the disk of the host.');
};

export const deleteProgram = async (root: string, expertPath: string): Promise<void> =>
  rm(await toDiskPath(root, toProgramFile(expertPath)), { force: true });

/** Remembers a program as it is now. @returns how to put it back. */
export const takeProgramSnapshot = async (root: string, expertPath: string): Promise<() => Promise<void>> => {
  const bytes = await findBytes(await toDiskPath(root, toProgramFile(expertPath)));
  return async () => {
    if (!bytes) return deleteProgram(root, expertPath);
    // What is as it was needs no room on a disk that may be full.
    if ((await findProgramSha256(root, expertPath)) !== toSha256(bytes)) await writeProgram(root, expertPath, bytes);
  };
};
