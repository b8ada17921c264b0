/**
 * A call to the server that was not answered with success. The loops ask one question: what now?
 * - `fatal`: this host may not go on (credential revoked, another agent took over).
 * - `refused`: this very call will never succeed; repeating it as it is is pointless.
 * - `failed`: the server met a defect; it may be this call's fault, or pass by itself.
 * - `unreachable`: network, overload, restart, or an answer that is not the server's; repeat after a back-off.
 *
 * Between a host and the server there may be proxies, portals and wrong addresses that answer in the server's place. Only
 * what Berth itself answered is anything but `unreachable`: its error code stands in the contract's table, with its status.
 */
import { errorTable } from '@berth/contract/values';

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
/** True when the server itself says that this host's identity no longer counts. */
export const isRevoked = (error: unknown): boolean => error instanceof ServerError && error.code === 'unauthenticated';

/** The status that Berth gives this code; undefined for a code that is not Berth's. */
const findStatus = (code: string): number | undefined => {
  if (code === 'validation') return 422;
  return Object.hasOwn(errorTable, code) ? errorTable[code as keyof typeof errorTable].status : undefined;
};

/** These pass by themselves. */
const PASSING = [408, 429, 502, 503, 504];

const toKind = (status: number, code: string): ServerError['kind'] => {
  if (code === 'unauthenticated' || code === 'session_superseded') return 'fatal';
  if (PASSING.includes(status)) return 'unreachable';
  return status >= 500 ? 'failed' : 'refused';
};

/** What to do about an answer that did not come from Berth's server. */
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
