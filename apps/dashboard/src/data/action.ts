/**
 * A change that a person requests. Its outcome is always shown; a failure with the id by which the server's log refers
 * to it.
 */
import { AuthenticationError, BerthError, ConnectionError, TimeoutError, UnexpectedAnswerError } from '@berth/client';
import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { withPassword } from './confirmation.ts';
import { notify } from './notices.ts';
import { isAway } from './presence.ts';
import { readAnew } from './query-client.ts';
import { texts } from '../texts/texts.ts';

/** An error's text for a person: the server's own sentence, or what to do where there is none. */
export const toErrorText = (error: unknown): string => {
  // The client's text for these names the route, which means nothing to a person.
  if (error instanceof ConnectionError) return texts.errors.unreached;
  if (error instanceof TimeoutError) return texts.errors.late;
  if (error instanceof UnexpectedAnswerError) return texts.errors.strange;
  return error instanceof BerthError && error.message !== '' ? error.message : texts.errors.unexpected;
};

export const toRequestId = (error: unknown): string | undefined =>
  error instanceof Error && 'requestId' in error && typeof error.requestId === 'string' ? error.requestId : undefined;

export interface ActionOptions<Input, Outcome> {
  run: (input: Input) => Promise<Outcome>;
  /** The sentence for a success; undefined where the page itself shows it. */
  done?: (outcome: Outcome, input: Input) => string | undefined;
  /** What that sentence is about, if another one will follow: the id of a task. */
  about?: (outcome: Outcome) => string;
  /** What is reloaded afterwards, in addition to what live events report. */
  touches?: (input: Input) => readonly QueryKey[];
  onDone?: (outcome: Outcome, input: Input) => void;
  /** true: the form shows the error itself, next to its fields. */
  isSilentOnError?: boolean;
}

export interface Action<Input> {
  run: (input: Input) => void;
  isRunning: boolean;
  error: Error | null;
  reset: () => void;
}

/**
 * A change, in the form that a button needs. Example: `const take = useAction({ run: (id: string) =>
 * berth.terminals.freshScreenshot(id), done: () => texts.…taken })`, then `<Button isBusy={take.isRunning} onClick={()
 * => take.run(id)}>`.
 */
export const useAction = <Input, Outcome>(options: ActionOptions<Input, Outcome>): Action<Input> => {
  const client = useQueryClient();
  /** What is under way: asked for again before the page shows that, it is not sent again. */
  const underWay = useRef<{ input: Input } | undefined>(undefined);
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (input: Input) => withPassword(() => options.run(input)),
    onSuccess: (outcome, input) => {
      for (const queryKey of options.touches?.(input) ?? []) readAnew(client, queryKey);
      const text = options.done?.(outcome, input);
      if (text !== undefined) notify({ kind: 'done', text, about: options.about?.(outcome) });
      options.onDone?.(outcome, input);
    },
    onSettled: (_outcome, _failure, input) => {
      if (underWay.current && Object.is(underWay.current.input, input)) underWay.current = undefined;
    },
    onError: (failure) => {
      // Without contact, the page says so in one place.
      if (options.isSilentOnError || failure instanceof AuthenticationError || isAway()) return;
      notify({ kind: 'failed', text: toErrorText(failure), requestId: toRequestId(failure) });
    },
  });
  const run = useCallback(
    (input: Input): void => {
      if (isAway()) return notify({ kind: 'failed', text: texts.noContact });
      if (underWay.current && Object.is(underWay.current.input, input)) return;
      underWay.current = { input };
      mutate(input);
    },
    [mutate],
  );
  return { run, isRunning: isPending, error, reset };
};
