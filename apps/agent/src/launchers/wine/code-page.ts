import { ConfinedFiles } from '@berth/kit';
import type { BoxPaths } from './box-paths.ts';

/** Wine's own has less than two megabytes. */
const MAX_REGISTRY_BYTES = 32 * 1024 * 1024;

const CODE_PAGE = /^\[System\\\\CurrentControlSet\\\\Control\\\\Nls\\\\Codepage\][^[]*?^"ACP"="(\d{1,5})"/im;

/**
 * The code page of a prefix. Wine takes it from the locale of its environment, and writes it to the registry whenever that
 * is another one than before. Programs in the box may have changed the file; undefined where it says nothing.
 */
export const findPrefixCodePage = async ({ folder, prefix }: BoxPaths): Promise<number | undefined> => {
  const files = new ConfinedFiles({ anchor: folder, home: prefix, root: prefix });
  const registry = await files.findBytes('system.reg', MAX_REGISTRY_BYTES).catch(() => undefined);
  const number = registry && CODE_PAGE.exec(registry.toString('latin1'))?.[1];
  return number === undefined ? undefined : Number(number);
};
