import { readFile } from 'node:fs/promises';
import { sleep } from '@berth/kit';

/** A broker that is started at the same time as the agent may need a moment to write its file. */
const PATIENCE_MS = 5_000;
const POLL_MS = 100;

/** The address in the text of a network file; undefined where there is none. */
export const toEndpoint = (text: string): { host: string; port: number } | undefined => {
  const [, host, port] = /^\[?([^\s[\]]+?)\]?:(\d{1,5})$/.exec(text.trim()) ?? [];
  return host !== undefined && Number(port) >= 1 && Number(port) <= 65_535 ? { host, port: Number(port) } : undefined;
};

/**
 * A problem with the file in which the sandbox broker states its address, for a person: with a wrong one every terminal
 * would be without a broker, without any explanation. @returns undefined for a valid one
 */
export const findNetworkFileMistake = async (path: string): Promise<string | undefined> => {
  for (const deadline = performance.now() + PATIENCE_MS; ; await sleep(POLL_MS)) {
    try {
      const text = await readFile(path, 'utf8');
      return toEndpoint(text)
        ? undefined
        : `${path} does not hold the address of a broker, a line like 127.0.0.1:4433.`;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') return `${path} cannot be read (${code ?? 'unknown'}).`;
      if (performance.now() >= deadline) return `${path} does not exist. Start the sandbox broker first.`;
    }
  }
};
