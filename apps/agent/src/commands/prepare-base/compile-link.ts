/**
 * Compiles the link program with the MetaEditor of the base, in its box: Berth may not bring compiled programs along.
 * MetaEditor's exit code says nothing, in either direction. A compilation has succeeded when the program, which was
 * removed before, is there, and the log says `Result: 0 errors`.
 */
import { basename, dirname } from 'node:path/posix';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError } from '@berth/command';
import { cutText } from '@berth/contract/values';
import { terminalPlaces, type BasedPlatform } from '../../bases/places.ts';
import { mt4Link, mt5Link, type LinkForm } from '../../platforms/metatrader/link/link-form.ts';
import { decodeText } from '../../platforms/metatrader/files/text-file.ts';
import type { BaseBox } from './base-box.ts';

export interface LinkSource {
  version: string;
  files: { name: string; content: Buffer }[];
}

const VERSION = /#define LINK_VERSION "(\d+\.\d+\.\d+)"/;

/** The source of the link program. Throws where the folder is not that. */
export const readLinkSource = async (folder: string): Promise<LinkSource> => {
  const names = (await readdir(folder)).filter((name) => /^[\w-]+\.(?:mq[45]|mqh)$/.test(name)).sort();
  const files = await Promise.all(names.map(async (name) => ({ name, content: await readFile(join(folder, name)) })));
  const version = files.flatMap(({ content }) => VERSION.exec(content.toString('latin1'))?.[1] ?? [])[0];
  if (version === undefined) throw new Error(`${folder} holds no source of the link program.`);
  return { version, files };
};

const COMPILE_MS = 5 * 60_000;
const MAX_LOG_BYTES = 256 * 1024;
const MAX_SHOWN_LINES = 3;
const MAX_SHOWN_CHARACTERS = 200;
/** Where the sources are while they are compiled. No blanks: MetaEditor does not take them. */
const DRAFT = 'berth-link';

const forms: Record<BasedPlatform, LinkForm> = { mt5: mt5Link, mt4: mt4Link };

/** What an editor's log says. Pure. */
export const readCompilerLog = (content: Buffer): { isFine: boolean; errors: string[] } => {
  const lines = decodeText(content).text.split(/\r?\n/);
  const result = lines.findLast((line) => /\bResult:? \d+ errors?\b/i.test(line));
  const errors = lines
    .filter((line) => /\berror\b/i.test(line) && line !== result)
    // eslint-disable-next-line no-control-regex -- what a box writes may move the cursor of a window
    .map((line) => cutText(line.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' '), MAX_SHOWN_CHARACTERS));
  return { isFine: result !== undefined && /\bResult:? 0 errors?\b/i.test(result), errors };
};

interface Compilation {
  box: BaseBox;
  platform: BasedPlatform;
  source: LinkSource;
}

const toRoot = ({ box, platform }: Compilation): string => `${box.insideHome}/${terminalPlaces[platform].folderName}`;

const runInBox = async ({ box }: Compilation, script: string, ...args: string[]): Promise<string> =>
  (await box.look(['/bin/sh', '-c', script, 'berth', ...args], MAX_LOG_BYTES)).toString('utf8').trim();

/** The editor's file, and whether the terminal has unpacked what it compiles with. */
const assertCompiler = async (compilation: Compilation): Promise<string> => {
  const { platform } = compilation;
  const script = 'cd "$1" && for file in *; do echo "$file"; done | grep -ixE "metaeditor(64)?\\.exe" | head -1';
  const editor = await runInBox(compilation, script, toRoot(compilation));
  if (editor === '') throw new CommandError('There is no MetaEditor beside the terminal.');
  const folder = platform === 'mt5' ? 'MQL5' : 'MQL4';
  const hasLibrary = await runInBox(
    compilation,
    'test -d "$1" && echo yes',
    `${toRoot(compilation)}/${folder}/Include`,
  );
  if (hasLibrary !== 'yes') throw new CommandError(`${folder}/Include is missing: the terminal has not unpacked it.`);
  return editor;
};

const bringSources = async (compilation: Compilation): Promise<void> => {
  const { box, source } = compilation;
  const folder = `${toRoot(compilation)}/${DRAFT}`;
  for (const { name, content } of source.files) await box.bring(`link-${name}`, content);
  const script =
    'rm -rf "$2" && mkdir "$2" && for file in "$1"/link-*; do cp "$file" "$2/${file##*/link-}"; done && echo done';
  const answer = await runInBox(compilation, script, box.insideRun, folder);
  for (const { name } of source.files) await box.takeBack(`link-${name}`);
  if (answer !== 'done') throw new CommandError('The source could not be put beside the terminal.');
};

const compileOne = async (
  compilation: Compilation,
  editor: string,
  { source, path }: LinkForm['programs'][number],
): Promise<void> => {
  const { box, platform } = compilation;
  const root = toRoot(compilation);
  const windowsRoot = `C:\\${terminalPlaces[platform].folderName}`;
  const stem = source.replace(/\.\w+$/, '');
  const made = `${root}/${DRAFT}/${stem}${path.slice(path.lastIndexOf('.'))}`;
  const log = `${root}/${DRAFT}/${stem}.log`;
  await runInBox(compilation, 'rm -rf "$1" "$2"', made, log);
  const command = [
    `${windowsRoot}\\${editor}`,
    `/compile:${windowsRoot}\\${DRAFT}\\${source}`,
    `/log:${windowsRoot}\\${DRAFT}\\${stem}.log`,
  ];
  const findExitCode = await box.start(command, COMPILE_MS);
  await box.waitFor(`Compiling ${source}`, findExitCode, COMPILE_MS);
  const { isFine, errors } = readCompilerLog(await box.look(['/bin/cat', log], MAX_LOG_BYTES));
  const move = 'test -s "$1" && test ! -L "$1" && mkdir -p "$3" && rm -rf "$2" && mv "$1" "$2" && echo done';
  const moveIt = () => runInBox(compilation, move, made, `${root}/${path}`, `${root}/${dirname(path)}`);
  if (isFine && (await moveIt()) === 'done') return;
  const words = errors.length > 0 ? errors.slice(0, MAX_SHOWN_LINES).join('; ') : 'its log states no result';
  throw new CommandError(`MetaEditor did not compile ${basename(source)}: ${words}.`);
};

/**
 * Puts the compiled link program into a base whose box is open and whose terminal is stopped. Throws a CommandError where
 * this host cannot: a base works without it.
 */
export const compileLink = async (compilation: Compilation): Promise<void> => {
  const editor = await assertCompiler(compilation);
  try {
    await bringSources(compilation);
    for (const program of forms[compilation.platform].programs) await compileOne(compilation, editor, program);
  } finally {
    await runInBox(compilation, 'rm -rf "$1"', `${toRoot(compilation)}/${DRAFT}`);
  }
};
