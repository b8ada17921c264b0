import { UnsafeFileError } from '@berth/kit';

/** Undefined for what is no plain file, or larger than it may be: a terminal's folder is hostile. */
export const unlessUnsafe = async <Result>(act: () => Promise<Result>): Promise<Result | undefined> => {
  try {
    return await act();
  } catch (error) {
    if (error instanceof UnsafeFileError) return undefined;
    throw error;
  }
};
