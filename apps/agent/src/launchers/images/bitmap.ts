import type { Pixels } from './png.ts';

const FILE_HEADER_BYTES = 14;
const INFO_HEADER_BYTES = 40;
const BYTES_PER_PIXEL = 4;
/** Larger than any screen; bounds what a header can make us allocate. */
const MAX_SIDE = 16_384;
/** The largest image that is accepted: four times 3840 x 2160. */
export const MAX_BITMAP_BYTES = 4 * 3840 * 2160 * BYTES_PER_PIXEL;

/**
 * Reads a Windows bitmap with 32 bits per pixel and no compression, as the session helper writes it.
 * @returns undefined for anything else, including a file whose size does not match its header
 */
export const readBitmap = (file: Buffer): Pixels | undefined => {
  if (file.length < FILE_HEADER_BYTES + INFO_HEADER_BYTES || file.toString('latin1', 0, 2) !== 'BM') return undefined;
  const offset = file.readUInt32LE(10);
  const width = file.readInt32LE(18);
  const signedHeight = file.readInt32LE(22);
  const [bits, compression] = [file.readUInt16LE(28), file.readUInt32LE(30)];
  const height = Math.abs(signedHeight);
  if (bits !== 32 || compression !== 0 || width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE) {
    return undefined;
  }
  const stride = width * BYTES_PER_PIXEL;
  if (offset + stride * height > file.length) return undefined;
  const rgb = Buffer.allocUnsafe(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    // A positive height means that the bottom row comes first.
    let from = offset + stride * (signedHeight > 0 ? height - 1 - y : y);
    let to = width * 3 * y;
    for (let x = 0; x < width; x += 1, from += BYTES_PER_PIXEL, to += 3) {
      rgb[to] = file[from + 2] ?? 0;
      rgb[to + 1] = file[from + 1] ?? 0;
      rgb[to + 2] = file[from] ?? 0;
    }
  }
  return { width, height, rgb };
};
