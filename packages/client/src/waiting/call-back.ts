/** Functions that are passed by the caller. */

/** Carries an error of a caller's function past all code that handles network errors. */
export class CallbackError extends Error {}

/** Calls a function of the caller: what it throws ends the wait, and is passed on unchanged. */
export const callBack = <Value>(callback: ((value: Value) => unknown) | undefined, value: Value): void => {
  try {
    callback?.(value);
  } catch (cause) {
    throw new CallbackError('A function of the caller threw.', { cause });
  }
};
