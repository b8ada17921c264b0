import { subtle } from 'node:crypto';

/** Hex SHA-256, computed on another thread: 32 MiB would block every other request for a tenth of a second. */
export const toSha256 = async (content: Uint8Array): Promise<string> =>
  Buffer.from(await subtle.digest('SHA-256', content as Uint8Array<ArrayBuffer>)).toString('hex');
