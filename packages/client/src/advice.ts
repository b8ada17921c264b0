/** What a person does about a task that failed. In a module of its own, so that only who shows it loads it. */
import type { StepCode } from './types.ts';

/**
 * What to do about a failed step, by its code, in a sentence or two for a person. What happened is the message of the step.
 * @example
 * import { stepAdvice } from '@berth/client';
 * stepAdvice.E_SYMBOL; // => 'The symbol name differs at this broker: see Market Watch.'
 */
export const stepAdvice: Readonly<Record<StepCode, string>> = {
  E_AUTH:
    'Log in again with the correct login and password. Failed logins are not retried automatically, so that the broker does not lock the account.',
  E_SERVER_UNKNOWN: 'Correct the server name, or add the server and its address to the server list, then log in again.',
  E_NO_CONNECTION: 'The broker could not be reached. Check whether its server is up, then run the task again.',
  E_TIMEOUT: 'The task timed out. Run it again. If it keeps timing out, check the screenshot and the journal.',
  E_DISK: 'Disk full. Delete files or screenshots that you no longer need, or ask your administrator.',
  E_MEMORY: 'The host is low on memory. Run the task again later, or ask your administrator.',
  E_NOT_RUNNING: 'The terminal is not running. Log in, wait until it is active, then run the task again.',
  E_SYMBOL: 'The symbol name differs at this broker: see Market Watch.',
  E_FILE: 'Check whether the file is built for this platform, then upload it again.',
  E_UNSUPPORTED: 'This host or terminal does not support it. The message says what is missing.',
  E_HOST_LOST: 'The host went offline. Run the task again when the host is back.',
  E_INTERNAL: 'Internal error. Run the task again. If it keeps failing, send the task ID to your administrator.',
};
