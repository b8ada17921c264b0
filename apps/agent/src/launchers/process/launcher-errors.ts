import { LauncherError, type LauncherErrorKind } from '../launcher.ts';

const kinds: Partial<Record<string, LauncherErrorKind>> = {
  ENOSPC: 'disk',
  EDQUOT: 'disk',
  EROFS: 'disk',
  EFBIG: 'disk',
  ENOMEM: 'memory',
  EAGAIN: 'memory',
  ENOENT: 'missing',
  EACCES: 'missing',
};

const toText = (kind: LauncherErrorKind, { code, message }: NodeJS.ErrnoException): string => {
  if (kind === 'disk') return `The host's disk does not take the files (${code}). Free some space on it.`;
  if (kind === 'memory') return `The host has no memory or no process left (${code}). Stop something on it.`;
  return `The host lacks what the terminal needs (${message}). Install it again.`;
};

/** Translates errors of the system; anything else is a bug and passes through. */
export const withLauncherErrors = async <Result>(act: () => Promise<Result>): Promise<Result> => {
  try {
    return await act();
  } catch (error) {
    const kind = kinds[(error as NodeJS.ErrnoException).code ?? ''];
    throw kind ? new LauncherError(kind, toText(kind, error as NodeJS.ErrnoException), { cause: error }) : error;
  }
};
