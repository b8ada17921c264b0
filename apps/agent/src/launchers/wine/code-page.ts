import { ConfinedFiles, UnsafeFileError } from '@berth/kit';
import type { BoxPaths } from './box-paths.ts';

/** Wine's own has less than two megabytes. */
const MAX_REGISTRY_BYTES = 8 * 1024 * 1024;

const CODE_PAGE = /^\[System\\\\CurrentControlSet\\\\Control\\\\Nls\\\\Codepage\][^[]*?^"ACP"="(\d{1,5})"/im;

/**
 * The code page of a prefix. Wine takes it from the locale of its environment, and writes it to the registry whenever that
 * is another one than before. Programs in the box may have changed the file.
 * @returns null where it says nothing, undefined where there is none yet
 */
export const findPrefixCodePage = async ({ folder, prefix }: BoxPaths): Promise<number | null | undefined> => {
  const files = new ConfinedFiles({ anchor: folder, home: prefix, root: prefix });
  try {
    const registry = await files.findBytes('system.reg', MAX_REGISTRY_BYTES);
    if (!registry) return undefined;
    const number = CODE_PAGE.exec(registry.toString('latin1'))?.[1];
    return number === undefined ? null : Number(number);
  } catch (error) {
    return error instanceof UnsafeFileError ? null : undefined;
  }
};
