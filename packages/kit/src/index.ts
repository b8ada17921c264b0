export { toBackoffMs, type BackoffOptions } from './backoff.ts';
export { Batcher, type BatcherOptions } from './batcher.ts';
export { systemClock, type Clock } from './clock.ts';
export { ConfigError, EnvReader, type Environment } from './env.ts';
export { Lifecycle } from './lifecycle.ts';
export { createLogger, type Logger, type LoggerOptions } from './logger.ts';
export { sleep } from './sleep.ts';
export { TooManyWaitingError, Turns, type TurnLimits } from './turns.ts';
