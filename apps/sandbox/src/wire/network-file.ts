import { readFileSync } from 'node:fs';
import { replaceFile } from '@berth/kit';

export interface Address {
  host: string;
  port: number;
}

/** Reads `host:port`; undefined where the text is not that. */
export const toAddress = (text: string): Address | undefined => {
  const match = /^\[?([^\s[\]]+?)\]?:(\d{1,5})$/.exec(text.trim());
  const port = Number(match?.[2]);
  return match?.[1] && port > 0 && port < 65_536 ? { host: match[1], port } : undefined;
};

/** The trading server's address from the file that it writes; undefined while there is none. */
export const findNetworkAddress = (path: string): Address | undefined => {
  try {
    return toAddress(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
};

/** Replaces the file as a whole, so that a terminal never reads half an address. Every account of the machine may read it. */
export const writeNetworkAddress = (path: string, { host, port }: Address): Promise<void> =>
  replaceFile(path, `${host}:${port}\n`, { mode: 0o644 });
