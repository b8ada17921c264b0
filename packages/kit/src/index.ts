export { toBackoffMs, type BackoffOptions } from './backoff.ts';
export { Batcher, type BatcherOptions } from './batcher.ts';
export { removeDrafts, replaceAndOpenFile, replaceFile } from './durable-file.ts';
export { ConfigError, EnvReader, type Environment } from './env.ts';
export { SafeDirectory, UnsafeFileError, type Owner } from './safe-directory.ts';
export { ConfinedFiles, MAX_TEXT_BYTES, type ConfinedFilesOptions } from './confined-files.ts';
export { isParsable, type JsonLimits } from './json-shape.ts';
export { Lifecycle } from './lifecycle.ts';
export { createLogger, type Logger, type LoggerOptions } from './logger.ts';
export { LruCache } from './lru-cache.ts';
export {
  endProcess,
  findProcess,
  isProcessAlive,
  toProcessIdentity,
  toProcessWord,
  type EndingStep,
  type ProcessIdentity,
} from './process-identity.ts';
export { findProcessStat, type ProcessStat } from './process-identity.ts';
export { removeTree } from './remove-tree.ts';
export {
  Supervisor,
  waitForEnd,
  type ProcessEnd,
  type SupervisedProcess,
  type SupervisorOptions,
} from './supervisor.ts';
export { openText, sealText } from './text-seal.ts';
export {
  setSystemTimer,
  sleep,
  systemClock,
  systemTiming,
  toPaced,
  untilAborted,
  type Clock,
  type SetTimer,
  type Timing,
} from './timing.ts';
export { TooManyWaitingError, FairSemaphore, type SemaphoreLimits } from './fair-semaphore.ts';
export { Wakeup } from './wakeup.ts';
