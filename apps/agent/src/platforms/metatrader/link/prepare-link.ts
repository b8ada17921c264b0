import type { ConfinedFiles } from '@berth/kit';
import { encodeText, findText, TERMINAL_FILE } from '../files/text-file.ts';
import { insertLines, splitLines, toContent, withContent } from '../files/lines.ts';
import { EXCHANGE_FOLDERS, type LinkForm, type LinkProgram } from './link-form.ts';

/** Trading is allowed to the program. The numbers are those of charts; nobody has tried them on services. */
const EXPERT_MODE = 33;

interface Block {
  from: number;
  /** The line of its end. */
  to: number;
}

const toName = (line: string): string => toContent(line).trim().toLowerCase();

/** The blocks of services; one without an end is left out. */
const listBlocks = (lines: readonly string[]): Block[] => {
  const blocks: Block[] = [];
  let from: number | undefined;
  for (const [at, line] of lines.entries()) {
    if (toName(line) === '<service>') from = at;
    if (toName(line) !== '</service>' || from === undefined) continue;
    blocks.push({ from, to: at });
    from = undefined;
  }
  return blocks;
};

const findKey = (lines: readonly string[], { from, to }: Block, key: string): number => {
  for (let at = from + 1; at < to; at += 1) {
    const line = toName(lines[at] ?? '');
    // What the program's inputs are called is none of our business.
    if (line === '<inputs>') return -1;
    if (line.startsWith(`${key}=`)) return at;
  }
  return -1;
};

/**
 * `config/services.ini` of MetaTrader 5: the services that start with the terminal. Blocks of lines, as in charts. The
 * terminal rewrites it; everything but our own block comes back byte for byte.
 * @returns the file with the service in it, and enabled. Pure.
 */
export const toServicesText = (text: string, service: { name: string; path: string }): string => {
  const lines = splitLines(text);
  const path = `path=${service.path}`.toLowerCase();
  const block = listBlocks(lines).find((each) => toName(lines[findKey(lines, each, 'path')] ?? '') === path);
  if (!block) {
    const body = [`name=${service.name}`, `path=${service.path}`, `expertmode=${EXPERT_MODE}`, 'enabled=1'];
    insertLines(lines, lines.length, ['<service>', ...body, '<inputs>', '</inputs>', '</service>']);
    return lines.join('');
  }
  const at = findKey(lines, block, 'enabled');
  if (at < 0) insertLines(lines, block.from + 1, ['enabled=1']);
  else lines[at] = withContent(lines[at] ?? '', 'enabled=1');
  return lines.join('');
};

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
