import { isFileStem } from '@berth/contract/values';

/** How one program of the family gets to know trading servers. */
export interface ServerFileForm {
  /** Whether a start file may name a server by its address. */
  takesAddresses: boolean;
  /** Where an uploaded file belongs, and the server's name where the file holds one; undefined for one that is none. */
  findPlace(content: Buffer): { path: string; name?: string } | undefined;
}

/** One file of all servers, in a form of the vendor's own. */
export const mt5ServerFile: ServerFileForm = {
  takesAddresses: true,
  findPlace: () => ({ path: 'config/servers.dat' }),
};

/** One `.srv` file for each server: a header that begins with the server's name, filled up with zeros, then access points. */
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
