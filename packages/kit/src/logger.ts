import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger };

/** Keys whose values are never written to a log, wherever they stand in an object of up to three levels. */
const SECRET_KEYS = [
  'password',
  'current_password',
  'new_password',
  'new_password_confirmation',
  'password_confirmation',
];
const OTHER_SECRET_KEYS = ['token', 'secret', 'authorization', 'credential', 'join_token'];

const redactPaths = [...SECRET_KEYS, ...OTHER_SECRET_KEYS].flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);

export interface LoggerOptions {
  name: string;
  level?: string;
  destination?: DestinationStream;
}

/** A JSON logger with secrets redacted. Levels: fatal, error, warn, info, debug, trace, silent. */
export const createLogger = ({ name, level = 'info', destination }: LoggerOptions): Logger =>
  pino({ name, level, redact: { paths: redactPaths, censor: '********' } }, destination ?? pino.destination(1));
