/**
 * A call to the server that was not answered with success. The loops ask one question: what now?
 * - `fatal`: this host may not go on (credential revoked, another agent took over).
 * - `refused`: this very call will never succeed; repeating it is pointless.
 * - `unreachable`: network, overload, restart; repeat after a back-off.
 */
export class ServerError extends Error {
  readonly kind: 'fatal' | 'refused' | 'unreachable';
  /** Stable code of the answer (`X-Error-Code`); undefined when there was no answer. */
  readonly code: string | undefined;

  constructor(kind: ServerError['kind'], message: string, code?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServerError';
    this.kind = kind;
    this.code = code;
  }
}

export const isRefused = (error: unknown): boolean => error instanceof ServerError && error.kind === 'refused';
/** True when the server itself says that this host's identity no longer counts. */
export const isRevoked = (error: unknown): boolean => error instanceof ServerError && error.code === 'unauthenticated';

/** 408 and 429 pass by themselves; a 401 without Berth's code comes from something in between, say a proxy. */
const toKind = (status: number, code: string | undefined): ServerError['kind'] => {
  if (code === 'unauthenticated' || code === 'session_superseded') return 'fatal';
  if (status >= 500 || status === 408 || status === 429 || status === 401 || status < 400) return 'unreachable';
  return 'refused';
};

/** The error of an answer that is not a success. `msg` is the server's own text; it holds no secrets. */
export const toServerError = (call: string, status: number, code: string | undefined, msg: string): ServerError =>
  new ServerError(toKind(status, code), `${call} was answered ${status}${msg ? `: ${msg}` : ''}`, code);
