import { TERMINAL_FILE } from '../files/text-file.ts';
import { StepFailure } from '../step-failure.ts';
import { toSha256 } from './download.ts';
import type { TerminalParts } from './task-run.ts';

type Place = Pick<TerminalParts, 'home' | 'edition'>;

/** The program of an EA as a chart names it (`Experts\Name.ex5`), below the terminal's root. */
export const toProgramFile = ({ edition }: Place, expertPath: string): string =>
  `${edition.dialect.layout.programs}/${expertPath}`;

/** The size limit of a task's file. */
const MAX_PROGRAM_BYTES = 32 * 1024 * 1024;

/** SHA-256 of an expert's program; undefined where there is none. */
export const findProgramSha256 = async (place: Place, expertPath: string): Promise<string | undefined> => {
  const bytes = await place.home.files.findBytes(toProgramFile(place, expertPath), MAX_PROGRAM_BYTES);
  return bytes && toSha256(bytes);
};

/** Writes a program and reads it back. Throws E_FILE when the disk returns something else. */
export const writeProgram = async (place: Place, expertPath: string, content: Buffer): Promise<void> => {
  await place.home.files.replaceFile(toProgramFile(place, expertPath), content, TERMINAL_FILE);
  if ((await findProgramSha256(place, expertPath)) === toSha256(content)) return;
  throw new StepFailure('E_FILE', 'The program was written but reads back differently. Check the disk of the host.');
};

export const deleteProgram = (place: Place, expertPath: string): Promise<void> =>
  place.home.files.removeFile(toProgramFile(place, expertPath));

/** Remembers a program's current content. @returns a function that restores it */
export const takeProgramSnapshot = async (place: Place, expertPath: string): Promise<() => Promise<void>> => {
  const bytes = await place.home.files.findBytes(toProgramFile(place, expertPath), MAX_PROGRAM_BYTES);
  return async () => {
    if (!bytes) return deleteProgram(place, expertPath);
    // An unchanged file is not rewritten, which might need space on a full disk.
    if ((await findProgramSha256(place, expertPath)) !== toSha256(bytes)) await writeProgram(place, expertPath, bytes);
  };
};
