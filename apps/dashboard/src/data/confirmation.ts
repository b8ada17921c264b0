/**
 * Some changes need the password again (`password_required`). Every change asks here: one dialog asks the person
 * (`shell/password-dialog.tsx`), and the change that was asked for goes on.
 */
import { ApiError } from '@berth/client';

type Answer = (isConfirmed: boolean) => void;

let waiting: readonly Answer[] = [];
const listeners = new Set<() => void>();

const set = (next: readonly Answer[]): void => {
  waiting = next;
  for (const listener of listeners) listener();
};

/** Whether the person is being asked. */
export const isAsking = (): boolean => waiting.length > 0;

export const watchAsking = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** What the person said, for all changes that wait for it. */
export const answerAsking: Answer = (isConfirmed) => {
  const answers = waiting;
  set([]);
  for (const answer of answers) answer(isConfirmed);
};

const isRequired = (error: unknown): boolean => error instanceof ApiError && error.code === 'password_required';

/** Runs a change; where it needs the password, once more after the person gave it. Else it fails as it did. */
export const withPassword = async <Outcome>(run: () => Promise<Outcome>): Promise<Outcome> => {
  try {
    return await run();
  } catch (error) {
    if (!isRequired(error)) throw error;
    if (!(await new Promise<boolean>((answer) => set([...waiting, answer])))) throw error;
    return run();
  }
};
