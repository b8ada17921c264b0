import { Agent as PlainAgent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { getProxyForUrl } from 'proxy-from-env';

const options = { keepAlive: true, maxFreeSockets: 4 };

/** A server on the agent's own machine is reached without a proxy, whatever the environment says. */
const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');

/**
 * Keeps connections to the server open: directly, or through the proxy that the environment specifies for its address
 * (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`).
 */
export const createConnectionAgent = (server: URL): PlainAgent => {
  const proxy = isLoopback(server) ? '' : getProxyForUrl(server.href);
  const isSecure = server.protocol === 'https:';
  if (proxy === '') return isSecure ? new SecureAgent(options) : new PlainAgent(options);
  return isSecure ? new HttpsProxyAgent(proxy, options) : new HttpProxyAgent(proxy, options);
};
