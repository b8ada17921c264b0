/** A plain TCP proxy: each connection goes to the next server that takes it; what breaks on one side breaks on the other. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Balancer {
  url: string;
  close(): Promise<void>;
}

/** @param urls where the servers listen; read at each connection, so the list may change */
export const startBalancer = async (urls: readonly string[]): Promise<Balancer> => {
  const sockets = new Set<Socket>();
  let turn = 0;
  const join = (client: Socket, triesLeft: number): void => {
    const { hostname, port } = new URL(urls[(turn += 1) % urls.length] ?? '');
    const server = connect({ host: hostname, port: Number(port) });
    sockets.add(server);
    server.once('connect', () => client.pipe(server).pipe(client));
    server.once('error', () => (server.connecting && triesLeft > 0 ? join(client, triesLeft - 1) : client.destroy()));
    server.once('close', () => {
      sockets.delete(server);
      if (server.bytesRead > 0 || triesLeft === 0) client.destroy();
    });
    client.once('close', () => server.destroy());
  };
  const listener = createServer((client) => {
    sockets.add(client);
    client.on('error', () => client.destroy());
    client.once('close', () => sockets.delete(client));
    join(client, urls.length);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
};
