import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

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
