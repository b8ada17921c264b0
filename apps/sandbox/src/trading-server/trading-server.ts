import { createServer, type AddressInfo, type Server } from 'node:net';
import { findNetworkAddress, writeNetworkAddress } from '../wire/network-file.ts';
import { AccountStore } from './account-store.ts';
import { Ledgers } from './ledger/ledgers.ts';
import { TerminalConnection } from './terminal-connection.ts';

export interface TradingServerOptions {
  dataFolder: string;
  /** The file to which the address is written. */
  networkFile: string;
  /** A port to insist on; without it the one of the file is tried, then a free one is taken. */
  port: number | undefined;
}

const HOST = '127.0.0.1';
const MAX_CONNECTIONS = 20_000;
const TICK_MS = 1000;

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: HOST, port, backlog: 1024 }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });

/** Terminals find a restarted server fastest where it was before. */
const listenLikeBefore = async (server: Server, { networkFile, port }: TradingServerOptions): Promise<number> => {
  if (port !== undefined) return listen(server, port);
  const before = findNetworkAddress(networkFile);
  return listen(server, before?.port ?? 0).catch(() => listen(server, 0));
};

export interface TradingServer {
  address: string;
  close(): Promise<void>;
}

/** Starts the simulated broker: every server name, every account, one market. */
export const startTradingServer = async (options: TradingServerOptions): Promise<TradingServer> => {
  const accounts = await AccountStore.open(options.dataFolder);
  const connections = new Set<TerminalConnection>();
  const ledgers = new Ledgers(options.dataFolder);
  const broker = { accounts, ledgers, logins: new Map<string, { address: string; at: number; count: number }>() };
  const server = createServer((socket) => {
    const connection = new TerminalConnection(socket, broker);
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
  });
  server.maxConnections = MAX_CONNECTIONS;
  const port = await listenLikeBefore(server, options);
  await writeNetworkAddress(options.networkFile, { host: HOST, port });
  const ticking = setInterval(() => {
    const seconds = Math.floor(Date.now() / 1000);
    ledgers.takeSecond();
    for (const connection of connections) connection.sendTicks(seconds);
  }, TICK_MS);
  return {
    address: `${HOST}:${port}`,
    close: () =>
      new Promise((resolve) => {
        clearInterval(ticking);
        server.close(() => resolve());
        for (const connection of connections) connection.close();
      }),
  };
};
