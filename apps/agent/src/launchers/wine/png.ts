/** Encodes images of screens: rows of plain pixels become a PNG. */
import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';

export interface Pixels {
  width: number;
  height: number;
  /** Red, green and blue of each pixel, row by row from the top, without gaps. */
  rgb: Buffer;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Windows are flat areas: the lightest compression takes a third of the time and only a little more space. */
const LEVEL = 3;
const BYTES_PER_PIXEL = 3;
/** Each byte as the difference to the pixel on the left: flat areas become zeros. */
const FILTER_SUB = 1;
const compress = promisify<Buffer, { level: number }, Buffer>(deflate);

const toChunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
};

const toRows = ({ width, height, rgb }: Pixels): Buffer => {
  const stride = width * BYTES_PER_PIXEL;
  const rows = Buffer.alloc((stride + 1) * height);
  for (let y = 0; y < height; y += 1) {
    const from = y * stride;
    const to = y * (stride + 1) + 1;
    rows[to - 1] = FILTER_SUB;
    rgb.copy(rows, to, from, from + BYTES_PER_PIXEL);
    for (let x = BYTES_PER_PIXEL; x < stride; x += 1) {
      rows[to + x] = (rgb[from + x] ?? 0) - (rgb[from + x - BYTES_PER_PIXEL] ?? 0);
    }
  }
  return rows;
};

/** @returns a PNG without transparency. Compresses off the event loop. */
export const encodePng = async (pixels: Pixels): Promise<Buffer> => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(pixels.width, 0);
  header.writeUInt32BE(pixels.height, 4);
  // Eight bits each of red, green and blue; the other fields are always 0.
  header.set([8, 2, 0, 0, 0], 8);
  const data = await compress(toRows(pixels), { level: LEVEL });
  return Buffer.concat([SIGNATURE, toChunk('IHDR', header), toChunk('IDAT', data), toChunk('IEND', Buffer.alloc(0))]);
};
