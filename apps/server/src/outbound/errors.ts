/** Why a call of an address that a user chose came to nothing. All texts are for that user: none names addresses of ours. */

export type OutboundErrorCode =
  /** Berth calls no such address, now or later: what `check` says, or its name leads somewhere forbidden by now. */
  | 'refused_address'
  /** Its name was not found, or could not be looked up. */
  | 'unresolvable'
  /** Nobody took the connection, or it broke before an answer began. */
  | 'unreachable'
  /** No secure connection: a certificate that is not right, or no TLS at all. */
  | 'tls'
  /** The proxy of this server is away, or refused to connect. */
  | 'proxy'
  /** Time was over before an answer began. */
  | 'timeout'
  /** An answer began, and was not complete in time. */
  | 'answer_too_slow'
  /** The headers are larger than any should be. A large body is no error: its beginning is all that is read. */
  | 'answer_too_large'
  /** What came is no HTTP, or ended in the middle. */
  | 'broken_answer'
  /** Too many calls are under way here. */
  | 'busy'
  /** The caller, or the end of this server, called it off. */
  | 'cancelled';

export class OutboundError extends Error {
  readonly code: OutboundErrorCode;

  /** @param cause what happened underneath, for logs; it may name addresses */
  constructor(code: OutboundErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'OutboundError';
    this.code = code;
  }
}

const toCode = (error: unknown): string => (error as { code?: string } | undefined)?.code ?? '';

const tlsMessages: Record<string, string> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate there is for another name.',
  CERT_HAS_EXPIRED: 'The certificate there has expired.',
  CERT_NOT_YET_VALID: 'The certificate there is not valid yet.',
  CERT_REVOKED: 'The certificate there was revoked.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate there is signed by itself, so nobody vouches for it.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate there comes from an authority that Berth does not know.',
  UNABLE_TO_GET_ISSUER_CERT: 'The certificate there comes from an authority that Berth does not know.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate there comes from an authority that Berth does not know.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate there comes without those that vouch for it.',
};

/** What went wrong between the connection and the first byte of HTTP. */
export const toTlsError = (error: unknown): OutboundError =>
  new OutboundError('tls', tlsMessages[toCode(error)] ?? 'No secure connection could be made there.', error);

export const toConnectError = (error: unknown): OutboundError => {
  const isRefused = toCode(error) === 'ECONNREFUSED';
  return new OutboundError(
    'unreachable',
    isRefused ? 'The connection was refused there.' : 'Nobody could be reached there.',
    error,
  );
};

export const toProxyError = (cause: unknown): OutboundError =>
  new OutboundError('proxy', 'The proxy that this server calls through did not connect. Its operator can help.', cause);

/**
 * What the HTTP client says of a connection that stood.
 * @param isOverfull whether we cut it, because the answer had no end
 */
export const toExchangeError = (error: unknown, isOverfull: boolean): OutboundError => {
  if (error instanceof OutboundError) return error;
  if (isOverfull || toCode(error) === 'UND_ERR_HEADERS_OVERFLOW') {
    return new OutboundError('answer_too_large', 'The answer has more or larger headers than any should have.', error);
  }
  switch (toCode(error)) {
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
      return new OutboundError('unreachable', 'The connection was closed there, without a whole answer.', error);
    default:
      return new OutboundError('broken_answer', 'What came from there is no proper HTTP answer.', error);
  }
};
