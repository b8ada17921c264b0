/**
 * When an answer is over: whatever a request holds is given back then, and what works for it may stop.
 *
 * Node says it with `close`, but only to those who listen in time: a caller may hang up while the request is looked at, and
 * an answer that waits behind another one of its connection is told nothing when the connection breaks. So nobody else
 * listens for `close` themselves.
 */
import type { ServerResponse } from 'node:http';

/**
 * Calls back once, when the answer has been taken or its caller has hung up; at once, where that has happened already.
 * @returns what stops listening; nothing is called after that
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
  // It waits for its turn on the connection. So may others, and each of them holds several things.
  if (response.socket === null) socket.setMaxListeners(0).once('close', end);
  return forget;
};
