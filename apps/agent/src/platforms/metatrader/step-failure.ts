import type { StepCode } from '@berth/contract/values';
import { UnsafeFileError } from '@berth/kit';
import { LauncherError, type LauncherErrorKind } from '../../launchers/launcher.ts';

/** An obstacle on the terminal's screen. */
export interface Obstacle {
  /** For a person, with what to do. */
  text: string;
  /** A PNG of the screen with it; undefined where none could be taken. */
  screenshot: Buffer | undefined;
}

/** An expected failure of a task's step: its code is for programs, its message (with what to do next) for people. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
  readonly code: StepCode;
  /** The obstacle on the screen, if it was seen before the terminal was stopped. */
  obstacle: Obstacle | undefined;
  /** What was observed nevertheless, in the form of a successful step's data. */
  readonly data: Record<string, unknown> | undefined;

  constructor(
    code: StepCode,
    message: string,
    { data, ...options }: ErrorOptions & { data?: Record<string, unknown> } = {},
  ) {
    super(message, options);
    this.code = code;
    this.data = data;
  }
}

const launcherCodes: Record<LauncherErrorKind, StepCode> = {
  disk: 'E_DISK',
  memory: 'E_MEMORY',
  missing: 'E_UNSUPPORTED',
  screen: 'E_NOT_RUNNING',
  stuck: 'E_NOT_RUNNING',
};

const toLauncherFailure = (error: LauncherError): StepFailure => {
  const advice = error.kind === 'screen' ? ' Take a screenshot to see why.' : '';
  return new StepFailure(launcherCodes[error.kind], `${error.message}${advice}`, { cause: error });
};

const DISK_ERRORS = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG']);
const MEMORY_ERRORS = new Set(['ENOMEM', 'EAGAIN']);

/** The failure that an error represents; undefined for a bug. */
export const findStepFailure = (error: unknown, isAborted: boolean): StepFailure | undefined => {
  if (error instanceof StepFailure) return error;
  if (error instanceof LauncherError) return toLauncherFailure(error);
  if (error instanceof UnsafeFileError) {
    const advice = "Look at the terminal's folder on its host, or install the terminal anew.";
    return new StepFailure('E_FILE', `${error.message} ${advice}`, { cause: error });
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && DISK_ERRORS.has(code)) {
    return new StepFailure('E_DISK', `The host's disk does not take the files (${code}). Free some space on it.`);
  }
  if (code !== undefined && MEMORY_ERRORS.has(code)) {
    return new StepFailure('E_MEMORY', `The host has no memory or no process left (${code}). Stop something on it.`);
  }
  if (isAborted) return new StepFailure('E_TIMEOUT', 'The task was stopped before this step ended.');
  return undefined;
};
