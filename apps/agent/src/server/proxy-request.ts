import { isIP } from 'node:net';

/**
 * What a request to a proxy says, where it asks for something of a server. Pure.
 * @param proxy `http://user:password@proxy.lan:3128`, or `https:`
 * @param authority of the server, with the port unless it is the scheme's own
 */
export const toProxyRequest = ({ hostname, port, username, password }: URL, authority: string) => {
  const host = hostname.replace(/^\[|\]$/g, '');
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    host,
    port,
    headers: {
      host: authority,
      'proxy-connection': 'keep-alive',
      ...(login !== ':' && { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` }),
    },
    // Otherwise Node would take the name in the header, which is the server's.
    servername: isIP(host) === 0 ? host : '',
  };
};
