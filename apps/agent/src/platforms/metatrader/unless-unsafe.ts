import { UnsafeFileError } from '@berth/kit';

/** Undefined for a file that is not plain, or too large: a terminal's folder is untrusted. */
export const unlessUnsafe = async <Result>(act: () => Promise<Result>): Promise<Result | undefined> => {
  try {
    return await act();
  } catch (error) {
    if (error instanceof UnsafeFileError) return undefined;
    throw error;
  }
};
