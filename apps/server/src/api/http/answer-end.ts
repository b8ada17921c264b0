/**
 * When an answer has ended: whatever the request holds is released then, and work for it may stop.
 *
 * Node reports this with `close`, but only to listeners that are registered in time: a caller may hang up while its
 * request is still being checked, and an answer that is queued behind another one on its connection gets no event when
 * the connection breaks. So no other code listens for `close` directly.
 */
import type { ServerResponse } from 'node:http';

/**
 * Calls back once, when the answer has been received or its caller has hung up; immediately, if that has already
 * happened.
 * @returns a function that stops listening; nothing is called after that
 */
export const onAnswerEnd = (response: ServerResponse, callback: () => void): (() => void) => {
  const { socket } = response.req;
  const forget = (): void => {
    response.removeListener('close', end);
    socket.removeListener('close', end);
  };
  const end = (): void => {
    forget();
    callback();
  };
  if (response.closed || response.writableFinished || socket.destroyed) {
    callback();
    return () => undefined;
  }
  response.once('close', end);
  // It is queued on the connection. So may others be, and each of them registers several listeners.
  if (response.socket === null) socket.setMaxListeners(0).once('close', end);
  return forget;
};
