/** A proxy that knows CONNECT and nothing else. It leads wherever the test wants, and notes what it was asked for. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { closeLater, listen } from './peers.ts';

export interface Proxy {
  url: URL;
  /** `CONNECT 203.0.113.5:443`, or another method with its address. */
  asked: string[];
  headers: IncomingHttpHeaders[];
}

/** @param toStatus what it answers; 200 connects to the port on loopback */
export const startProxy = async (toPort: () => number, toStatus: () => number = () => 200): Promise<Proxy> => {
  const asked: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(405).end();
  });
  server.on('connect', (request, socket: Socket) => {
    asked.push(`CONNECT ${request.url}`);
    headers.push(request.headers);
    const status = toStatus();
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    const further = connect(toPort(), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      further.pipe(socket).pipe(further);
    });
    further.on('error', () => socket.destroy());
    closeLater(async () => void further.destroy());
  });
  const { port } = await listen(server);
  return { url: new URL(`http://127.0.0.1:${port}`), asked, headers };
};
