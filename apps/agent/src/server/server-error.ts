/**
 * A call to the server that was not answered with success. They are classified by what the caller should do:
 * - `fatal`: this host may not go on (credential revoked, another agent took over).
 * - `refused`: this call will never succeed; repeating it unchanged is pointless.
 * - `failed`: the server has a bug; it may be specific to this call, or temporary.
 * - `unreachable`: network, overload, restart, or an answer that is not the server's; repeat after a back-off.
 *
 * Between a host and the server proxies, captive portals and wrong addresses may answer in the server's place. Every
 * answer that is not Berth's own is `unreachable`: Berth's error codes are in the contract's table, with their status.
 */
import { errorTable } from '@berth/contract/agent';

export class ServerError extends Error {
  readonly kind: 'fatal' | 'refused' | 'failed' | 'unreachable';
  /** Stable code of Berth's answer (`X-Error-Code`); undefined when it was not reached. */
  readonly code: string | undefined;

  constructor(kind: ServerError['kind'], message: string, code?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServerError';
    this.kind = kind;
    this.code = code;
  }
}

export const isKind = (error: unknown, ...kinds: ServerError['kind'][]): error is ServerError =>
  error instanceof ServerError && kinds.includes(error.kind);
/** True when the server itself says that this host's identity is no longer valid. */
export const isRevoked = (error: unknown): boolean => error instanceof ServerError && error.code === 'unauthenticated';

/** Berth's status for this code; undefined for a code that is not Berth's. */
const findStatus = (code: string): number | undefined => {
  if (code === 'validation') return 422;
  return Object.hasOwn(errorTable, code) ? errorTable[code as keyof typeof errorTable].status : undefined;
};

/** Temporary errors. */
const PASSING = [408, 429, 502, 503, 504];

const toKind = (status: number, code: string): ServerError['kind'] => {
  if (code === 'unauthenticated' || code === 'session_superseded') return 'fatal';
  if (PASSING.includes(status)) return 'unreachable';
  return status >= 500 ? 'failed' : 'refused';
};

/** The error for an answer that did not come from Berth's server. */
export const toForeignError = (call: string, what: string, options?: ErrorOptions): ServerError => {
  const advice = 'Something between this host and the server answers in its place, or BERTH_SERVER_URL names another.';
  return new ServerError(
    'unreachable',
    `${call} was answered ${what}, but not by Berth. ${advice}`,
    undefined,
    options,
  );
};

/** The error of an answer that is not a success. `msg` is the server's own text; it holds no secrets. */
export const toServerError = (call: string, status: number, code: string | undefined, msg: string): ServerError => {
  if (code === undefined || findStatus(code) !== status) return toForeignError(call, `with status ${status}`);
  return new ServerError(toKind(status, code), `${call} was answered ${status}${msg ? `: ${msg}` : ''}`, code);
};
