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
