import type { ConfinedFiles } from '@berth/kit';
import { encodeText, findText, TERMINAL_FILE } from '../files/text-file.ts';
import { EXCHANGE_FOLDERS, type LinkForm, type LinkProgram } from './link-form.ts';
import { toServicesText } from './services-file.ts';

/** More than a compiled program ever has. */
const MAX_PROGRAM_BYTES = 4 * 1024 * 1024;
/** A folder lists so many names at once; a program that fills it faster than we empty it keeps what it has. */
const MAX_ROUNDS = 10;

/** Removes every file and link of a folder. Folders in it stay: the link program takes only files. */
const emptyFolder = async (files: ConfinedFiles, path: string): Promise<void> => {
  const folder = await files.ensureFolder(path);
  try {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const { names, isWhole } = await folder.listNames();
      for (const name of names) await folder.removeFile(name).catch(() => undefined);
      if (isWhole) return;
    }
  } finally {
    await folder.close();
  }
};

const ensureProgram = async (files: ConfinedFiles, { path, content }: LinkProgram['files'][number]): Promise<void> => {
  // Anything but our own program there is replaced, whatever it is.
  const present = await files.findBytes(path, MAX_PROGRAM_BYTES).catch(() => undefined);
  if (!present?.equals(content)) await files.replaceFile(path, content, TERMINAL_FILE);
};

const ensureService = async (files: ConfinedFiles, service: NonNullable<LinkForm['service']>): Promise<void> => {
  const content = (await findText(files, service.file)) ?? { text: '', encoding: 'utf16le' as const };
  const text = toServicesText(content.text, service);
  if (text !== content.text) await files.replaceFile(service.file, encodeText({ ...content, text }), TERMINAL_FILE);
};

/**
 * Prepares the next start of a terminal: the exchange folder without commands and answers of the last run, the
 * program where it is missing or another one, and its entry in the list of services. The terminal is stopped.
 * @param findProgram asked when the folder is empty; finds nothing where the host has none
 */
export const prepareLink = async (
  files: ConfinedFiles,
  form: LinkForm,
  findProgram: () => Promise<LinkProgram | undefined>,
): Promise<void> => {
  for (const name of EXCHANGE_FOLDERS) await emptyFolder(files, `${form.folder}/${name}`);
  const program = await findProgram();
  if (!program) return;
  for (const file of program.files) await ensureProgram(files, file);
  if (form.service) await ensureService(files, form.service);
};
