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

/** Node's and OpenSSL's error codes for a certificate whose issuer this machine does not trust. */
const UNKNOWN_ISSUER = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]);

/** The address was not found, or did not answer. */
const NOT_REACHED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/;

const toAdvice = (code: string | undefined): string => {
  if (code !== undefined && UNKNOWN_ISSUER.has(code)) {
    const what = 'The certificate of the server is signed by an authority that this machine does not know.';
    return ` ${what} Is it a private one? Then start the agent with NODE_EXTRA_CA_CERTS=/path/to/ca.pem.`;
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return ' The certificate is for another name: BERTH_SERVER_URL must name the server as its certificate does.';
  }
  if (code === 'CERT_HAS_EXPIRED') return ' The certificate of the server has expired: renew it there.';
  if (code === 'CERT_NOT_YET_VALID') return " The certificate is not valid yet: is this machine's clock right?";
  if (code === 'EPROTO') return ' Does BERTH_SERVER_URL say https: where the server, or its port, speaks plain http?';
  if (code !== undefined && NOT_REACHED.test(code)) {
    return ' Is BERTH_SERVER_URL right, does the server run, and may this machine reach it (HTTPS_PROXY is honoured)?';
  }
  return '';
};

/** Why there was no connection, or no complete answer, for a person: with a remedy if there is a usual one. */
export const toConnectionReason = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  // Several addresses of one name may each have refused; their error is in the list and has no text of its own.
  const reason = message || ((error as AggregateError).errors as Error[] | undefined)?.[0]?.message || code;
  return `${reason}${toAdvice(code) && `.${toAdvice(code)}`}`;
};
