import { isFileStem } from '@berth/contract/values';

/** How one program of the family learns about trading servers. */
export interface ServerFileForm {
  /** Whether a start file may name a server by its address. */
  takesAddresses: boolean;
  /**
   * The path for an uploaded file, and the server's name where the file contains one; undefined for an invalid file.
   */
  findPlace(content: Buffer): { path: string; name?: string } | undefined;
}

/** One file for all servers, in a proprietary format. */
export const mt5ServerFile: ServerFileForm = {
  takesAddresses: true,
  findPlace: () => ({ path: 'config/servers.dat' }),
};

/**
 * One `.srv` file for each server: a header that starts with the server's name, padded with zeros, then access points.
 */
const HEADER_BYTES = 352;
const NAME_BYTES = 64;
const SAFE_NAME = /^[\w][\w .()&-]*$/;

export const mt4ServerFile: ServerFileForm = {
  takesAddresses: false,
  findPlace: (content) => {
    const name = content.toString('latin1', 0, NAME_BYTES).split('\0')[0] ?? '';
    const isServer = content.length >= HEADER_BYTES && SAFE_NAME.test(name) && isFileStem(name);
    return isServer ? { path: `config/${name}.srv`, name } : undefined;
  },
};
