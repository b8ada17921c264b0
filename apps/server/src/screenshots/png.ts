/**
 * Reads the images that hosts upload, and writes small ones. A host may upload anything, and a library in C would parse
 * it in the process that has the keys: so it is parsed here, by code that can fail but not be taken over. The work is
 * bounded by the size in the header, which the inflated data must match exactly. It is inflated and read in slices, between
 * which the event loop is free.
 */
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { setImmediate } from 'node:timers/promises';
import { crc32, createInflate, deflate } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** The largest image that a task takes is 3840 by 2160; window frames are added to that. */
const MAX_SIDE = 4_096;
const MAX_PIXELS = 3_840 * 2_400;
/** Bytes per pixel, by color type: grey, RGB, palette, grey with alpha, RGB with alpha. All with 8 bits. */
const pixelBytes: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const PALETTE = 3;
/** The filter of rows whose pixels are differences to the one on their left. */
const SUB = 1;
/**
 * Encoders write a few kilobytes into each. Millions of empty ones would take seconds, and ten times the memory of the
 * file.
 */
const MAX_CHUNKS = 16_384;
/** Inflated between two yields to the event loop: two milliseconds of work or three. */
const BYTES_PER_TURN = 64 * 1024;
/** Of zlib. A higher one takes ten times as long for what a host makes hard to compress, and saves one byte in a hundred. */
const COMPRESSION = 6;

const toDeflated = promisify<Buffer, { level: number }, Buffer>(deflate);

interface Head {
  width: number;
  height: number;
  colorType: number;
}

interface Parts {
  head: Head;
  palette: Buffer;
  data: Buffer[];
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
  return head && { head, palette, data };
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

/**
 * Averages the pixels of rows for one row of the small image. It keeps each pixel as the difference to the one on its left,
 * which compresses better.
 */
class Shrinker {
  readonly width: number;
  readonly height: number;
  /** The rows of the small image, each behind its filter. */
  readonly rows: Buffer;
  readonly #head: Head;
  readonly #palette: Buffer;
  readonly #sums: Float64Array;
  readonly #counts: Uint32Array;
  #row = 0;

  constructor(head: Head, palette: Buffer, maxSide: number) {
    this.#head = head;
    this.#palette = palette;
    const scale = Math.min(1, maxSide / Math.max(head.width, head.height));
    this.width = Math.max(1, Math.round(head.width * scale));
    this.height = Math.max(1, Math.round(head.height * scale));
    this.rows = Buffer.alloc(this.height * (this.width * 3 + 1));
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
    const start = this.#row * (this.width * 3 + 1);
    this.rows[start] = SUB;
    const left = [0, 0, 0];
    for (let at = 0; at < this.#sums.length; at += 1) {
      const value = Math.round(this.#sums[at]! / this.#counts[Math.floor(at / 3)]!);
      this.rows[start + 1 + at] = value - left[at % 3]!;
      left[at % 3] = value;
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

const toPng = async ({ width, height, rows }: Shrinker): Promise<Buffer> => {
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  const data = await toDeflated(rows, { level: COMPRESSION });
  return Buffer.concat([SIGNATURE, toChunk('IHDR', head), toChunk('IDAT', data), toChunk('IEND', Buffer.alloc(0))]);
};

/** Adds all rows of an image. False for one whose data is broken, or not as large as its head says. */
const addRows = async ({ head, data }: Parts, shrinker: Shrinker): Promise<boolean> => {
  const step = pixelBytes[head.colorType]!;
  let row = Buffer.alloc(head.width * step + 1);
  let above = Buffer.alloc(row.length);
  let [y, filled] = [0, 0];
  const inflated = Readable.from(data).pipe(createInflate({ chunkSize: BYTES_PER_TURN })) as AsyncIterable<Buffer>;
  for await (const part of inflated) {
    for (let at = 0; at < part.length;) {
      if (y === head.height) return false;
      const copied = part.copy(row, filled, at);
      at += copied;
      filled += copied;
      if (filled < row.length) break;
      const pixels = row.subarray(1);
      if (!unfilter(row[0]!, pixels, above.subarray(1), step)) return false;
      shrinker.add(y, pixels);
      [row, above] = [above, row];
      [y, filled] = [y + 1, 0];
    }
    await setImmediate();
  }
  return y === head.height;
};

/**
 * A small copy of an image.
 * @returns a PNG of which no side is longer than this; undefined when the image is broken, too large or of an unsupported kind
 */
export const toThumbnail = async (png: Buffer, maxSide: number): Promise<Buffer | undefined> => {
  const parts = readParts(png);
  if (!parts) return undefined;
  const shrinker = new Shrinker(parts.head, parts.palette, maxSide);
  const isWhole = await addRows(parts, shrinker).catch(() => false);
  if (!isWhole) return undefined;
  shrinker.flush();
  return toPng(shrinker);
};
