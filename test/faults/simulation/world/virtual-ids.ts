/**
 * Ids in the place of the package `uuid` (build.mjs): in the shape of version 7, each greater than the one before. The
 * system's chance takes longer than the rest of a creation, and would be the only one that no seed decides.
 */
let made = 0;

export const v7 = (): string => {
  made += 1;
  return `00000000-0000-7000-8000-${made.toString(16).padStart(12, '0')}`;
};
