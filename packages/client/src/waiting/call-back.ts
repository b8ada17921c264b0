/** Functions that the caller gives. */

/** Carries what a function of the caller threw past all that takes errors for those of the network. */
export class CallbackError extends Error {}

/** Calls a function of the caller: what it throws ends the waiting, and comes as it is. */
export const callBack = <Value>(callback: ((value: Value) => unknown) | undefined, value: Value): void => {
  try {
    callback?.(value);
  } catch (cause) {
    throw new CallbackError('A function of the caller threw.', { cause });
  }
};
