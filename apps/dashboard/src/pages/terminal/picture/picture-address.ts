import { toAddress } from '../../../data/address.ts';

/** The picture as it was taken. */
export const toFileAddress = (fileId: string): string => toAddress(`/v1/my/files/${fileId}/content`);

/** The last picture in small; the file's id makes another picture another address. */
export const toThumbAddress = (terminalId: string, fileId: string): string =>
  toAddress(`/v1/my/trading/terminals/${terminalId}/picture?of=${fileId}`);
