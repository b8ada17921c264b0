/** What a person does about a task that failed. In a module of its own, so that only who shows it loads it. */
import type { StepCode } from './types.ts';

/**
 * What to do about a failed step, by its code, in a sentence or two for a person. What happened is the message of the step.
 * @example
 * import { stepAdvice } from '@berth/client';
 * stepAdvice.E_SYMBOL; // => 'The symbol name differs at this broker. Look it up in the Market Watch.'
 */
export const stepAdvice: Readonly<Record<StepCode, string>> = {
  E_AUTH:
    'Log in again with the correct login and password. Berth does not retry by itself, so that no account is locked.',
  E_SERVER_UNKNOWN:
    'Correct the name of the trading server, or add it with its address to the server list. Then log in again.',
  E_NO_CONNECTION: 'The broker was not reached. Check whether it is open, and run the task again.',
  E_TIMEOUT: 'It took too long. Run it again. If it fails again, look at the screenshot and the journal.',
  E_DISK: 'Disk full. Delete files or screenshots that you no longer need, or ask your administrator.',
  E_MEMORY: 'The host is low on memory. Run it again later, or ask your administrator.',
  E_NOT_RUNNING: 'The terminal is not running. Log in, wait until it is active, and run the task again.',
  E_SYMBOL: 'The symbol name differs at this broker. Look it up in the Market Watch.',
  E_FILE: 'Check whether the file is the right one for this platform, and upload it again.',
  E_UNSUPPORTED: 'This host or terminal cannot do it. The message says what is missing.',
  E_HOST_LOST: 'The host went offline. Run the task again when it is back.',
  E_INTERNAL: 'Internal error. Run it again. If it fails again, send the ID of the task to your administrator.',
};
