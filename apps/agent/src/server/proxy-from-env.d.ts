declare module 'proxy-from-env' {
  /** The proxy for an address by HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY; '' for none. */
  export function getProxyForUrl(url: string): string;
}
