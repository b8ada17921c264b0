/**
 * Reads the images that hosts upload, and writes small ones. A host may upload anything, and a library in C would parse
 * it in the process that has the keys: so it is parsed here, by code that can fail but not be taken over. The work is
 * bounded by the size in the header, which the inflated data must match exactly, and rows are read in portions, between
 * which the event loop is free.
 */
import { promisify } from 'node:util';
import { setImmediate } from 'node:timers/promises';
import { crc32, deflate, inflate } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** The largest image that a task takes is 3840 by 2160; window frames are added to that. */
const MAX_SIDE = 4_096;
const MAX_PIXELS = 3_840 * 2_400;
/** Bytes per pixel, by color type: grey, RGB, palette, grey with alpha, RGB with alpha. All with 8 bits. */
const pixelBytes: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const PALETTE = 3;
/**
 * Encoders write a few kilobytes into each. Millions of empty ones would take seconds, and ten times the memory of the
 * file.
 */
const MAX_CHUNKS = 16_384;
/** Rows between two yields to the event loop: a millisecond or two. */
const ROWS_PER_TURN = 64;

const toInflated = promisify(inflate);
const toDeflated = promisify<Buffer, { level: number }, Buffer>(deflate);

interface Head {
  width: number;
  height: number;
  colorType: number;
}

interface Parts {
  head: Head;
  palette: Buffer;
  data: Buffer;
}

const readHead = (chunk: Buffer): Head | undefined => {
  if (chunk.length !== 13) return undefined;
  const [width, height] = [chunk.readUInt32BE(0), chunk.readUInt32BE(4)];
  const [depth, colorType = -1, , , interlace] = chunk.subarray(8);
  const isBounded = width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE && width * height <= MAX_PIXELS;
  return isBounded && depth === 8 && colorType in pixelBytes && interlace === 0
    ? { width, height, colorType }
    : undefined;
};

/** The relevant chunks; undefined for anything that is not an image of a supported kind. */
const readParts = (png: Buffer): Parts | undefined => {
  if (!png.subarray(0, 8).equals(SIGNATURE)) return undefined;
  let head: Head | undefined;
  let palette: Buffer = Buffer.alloc(0);
  const data: Buffer[] = [];
  let chunks = 0;
  for (let at = 8; at + 12 <= png.length;) {
    chunks += 1;
    if (chunks > MAX_CHUNKS) return undefined;
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    if (at + 12 + length > png.length) return undefined;
    const chunk = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') head = readHead(chunk);
    if (type === 'PLTE') palette = chunk;
    if (type === 'IDAT') data.push(chunk);
    if (type === 'IEND') break;
    at += 12 + length;
  }
  return head && { head, palette, data: Buffer.concat(data) };
};

const paeth = (left: number, up: number, corner: number): number => {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
};

/** Undoes a row's filter in place. False for an unknown filter. */
const unfilter = (filter: number, row: Buffer, above: Buffer, step: number): boolean => {
  if (filter > 4) return false;
  if (filter === 0) return true;
  for (let at = 0; at < row.length; at += 1) {
    const left = at >= step ? row[at - step]! : 0;
    const up = above[at]!;
    if (filter === 1) row[at] = row[at]! + left;
    else if (filter === 2) row[at] = row[at]! + up;
    else if (filter === 3) row[at] = row[at]! + ((left + up) >> 1);
    else row[at] = row[at]! + paeth(left, up, at >= step ? above[at - step]! : 0);
  }
  return true;
};

/** Averages the pixels of rows for one row of the small image. */
class Shrinker {
  readonly width: number;
  readonly height: number;
  readonly pixels: Buffer;
  readonly #head: Head;
  readonly #palette: Buffer;
  readonly #sums: Float64Array;
  readonly #counts: Uint32Array;
  #row = 0;

  constructor(head: Head, palette: Buffer, maxWidth: number) {
    this.#head = head;
    this.#palette = palette;
    this.width = Math.min(maxWidth, head.width);
    this.height = Math.max(1, Math.round((head.height * this.width) / head.width));
    this.pixels = Buffer.alloc(this.width * this.height * 3);
    this.#sums = new Float64Array(this.width * 3);
    this.#counts = new Uint32Array(this.width);
  }

  add(y: number, row: Buffer): void {
    const target = Math.min(this.height - 1, Math.floor((y * this.height) / this.#head.height));
    if (target !== this.#row) this.flush();
    this.#row = target;
    const { width, colorType } = this.#head;
    const step = pixelBytes[colorType]!;
    const isGrey = step < 3 && colorType !== PALETTE;
    for (let x = 0; x < width; x += 1) {
      const to = Math.floor((x * this.width) / width);
      const isOfPalette = colorType === PALETTE;
      const source = isOfPalette ? this.#palette : row;
      const at = isOfPalette ? row[x]! * 3 : x * step;
      this.#sums[to * 3]! += source[at] ?? 0;
      this.#sums[to * 3 + 1]! += source[isGrey ? at : at + 1] ?? 0;
      this.#sums[to * 3 + 2]! += source[isGrey ? at : at + 2] ?? 0;
      this.#counts[to]! += 1;
    }
  }

  /** Writes the accumulated row. */
  flush(): void {
    for (let at = 0; at < this.#sums.length; at += 1) {
      const count = this.#counts[Math.floor(at / 3)]!;
      if (count > 0) this.pixels[this.#row * this.width * 3 + at] = Math.round(this.#sums[at]! / count);
    }
    this.#sums.fill(0);
    this.#counts.fill(0);
  }
}

const toChunk = (type: string, content: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(content.length, 0);
  frame.writeUInt32BE(crc32(body) >>> 0, 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
};

/** Each pixel as the difference to the one on its left, which compresses better. */
const toPng = async ({ width, height, pixels }: Shrinker): Promise<Buffer> => {
  const rowBytes = width * 3;
  const raw = Buffer.alloc(height * (rowBytes + 1));
  for (let y = 0; y < height; y += 1) {
    raw[y * (rowBytes + 1)] = 1;
    for (let at = 0; at < rowBytes; at += 1) {
      const left = at >= 3 ? pixels[y * rowBytes + at - 3]! : 0;
      raw[y * (rowBytes + 1) + 1 + at] = pixels[y * rowBytes + at]! - left;
    }
  }
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  const data = await toDeflated(raw, { level: 9 });
  return Buffer.concat([SIGNATURE, toChunk('IHDR', head), toChunk('IDAT', data), toChunk('IEND', Buffer.alloc(0))]);
};

/**
 * A small copy of an image.
 * @returns a PNG of at most this width; undefined when the image is broken, too large or of an unsupported kind
 */
export const toThumbnail = async (png: Buffer, maxWidth: number): Promise<Buffer | undefined> => {
  const parts = readParts(png);
  if (!parts) return undefined;
  const { head, palette, data } = parts;
  const step = pixelBytes[head.colorType]!;
  const rowBytes = head.width * step;
  const size = head.height * (rowBytes + 1);
  const raw = await toInflated(data, { maxOutputLength: size }).catch(() => undefined);
  if (raw?.length !== size) return undefined;
  const shrinker = new Shrinker(head, palette, maxWidth);
  let above: Buffer = Buffer.alloc(rowBytes);
  for (let y = 0; y < head.height; y += 1) {
    const start = y * (rowBytes + 1);
    const row = raw.subarray(start + 1, start + 1 + rowBytes);
    if (!unfilter(raw[start]!, row, above, step)) return undefined;
    shrinker.add(y, row);
    above = row;
    if (y % ROWS_PER_TURN === ROWS_PER_TURN - 1) await setImmediate();
  }
  shrinker.flush();
  return toPng(shrinker);
};
