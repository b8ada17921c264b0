import { isUtf8 } from 'node:buffer';
import { fileTypeFromBuffer } from 'file-type';

export const TEXT_TYPE = 'text/plain';
export const BINARY_TYPE = 'application/octet-stream';

/** Signatures are at the start; reading no further keeps a crafted file from keeping the detector busy. */
const SNIFFED_BYTES = 64 * 1024;

// eslint-disable-next-line no-control-regex -- matching control characters is the purpose
const NOT_TEXT = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f\u007f]/;

const isText = (content: Buffer): boolean =>
  isUtf8(content) && !NOT_TEXT.test(content.subarray(0, SNIFFED_BYTES).toString('latin1'));

/** The media type detected from the content; the one that the sender claims is ignored. */
export const findMediaType = async (content: Buffer): Promise<string> => {
  const head = content.subarray(0, SNIFFED_BYTES);
  const known = await fileTypeFromBuffer(head).catch(() => undefined);
  return known?.mime ?? (isText(content) ? TEXT_TYPE : BINARY_TYPE);
};
