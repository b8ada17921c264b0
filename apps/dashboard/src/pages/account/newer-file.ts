import type { LibraryExpert } from '@berth/client';
import { toExpertName } from '../../parts/expert/expert-name.ts';

/** Without the folders below `Experts`, and without regard to case, as Windows has it. */
const toPlain = (name: string): string => name.slice(name.lastIndexOf('\\') + 1).toLowerCase();

/** The newest file of the same name as an expert that runs, if the expert is not that one or newer. */
export const findNewerFile = (
  { name, sha256, file: own, terminals }: LibraryExpert,
  all: readonly LibraryExpert[],
): NonNullable<LibraryExpert['file']> | undefined => {
  if (terminals === 0 || sha256 === null) return undefined;
  const [newest] = all
    .flatMap(({ file }) => (file && toPlain(toExpertName(file.name)) === toPlain(name) ? [file] : []))
    .sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
  return newest && newest.id !== own?.id ? newest : undefined;
};
