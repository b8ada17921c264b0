import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { PNG } from 'pngjs';
import type { Rectangle } from './visible-windows.ts';
import { readUpTo } from './run-folder.ts';

export interface Pixels {
  width: number;
  height: number;
  /** Red, green and blue of each pixel, row by row from the top, without gaps. */
  rgb: Buffer;
}

const RGB = { colorType: 2, inputColorType: 2, inputHasAlpha: false } as const;
/**
 * Windows are flat areas. Each byte as the difference to the pixel on the left makes them zeros, and the lightest compression
 * takes a third of the time and only a little more space.
 */
const FOR_WINDOWS = { filterType: 1, deflateLevel: 3, deflateStrategy: 0 } as const;

/** @returns a PNG without transparency. Compresses off the event loop. */
export const encodePng = async ({ width, height, rgb }: Pixels): Promise<Buffer> => {
  const png = Object.assign(new PNG({ ...RGB, ...FOR_WINDOWS }), { width, height, data: rgb });
  return Buffer.concat(await new Readable().wrap(png.pack()).toArray());
};

/** The largest screen. */
export const MAX_SCREEN = { width: 3840, height: 2160 };

/** The X window dump that Xvfb writes: 32-bit numbers, the most significant byte first. */
const HEADER = {
  size: 0,
  version: 4,
  format: 8,
  width: 16,
  height: 20,
  byteOrder: 28,
  bits: 44,
  stride: 48,
  colours: 76,
};
const HEADER_BYTES = 100;
const VERSION = 7;
const Z_PIXMAP = 2;
const COLOUR_BYTES = 12;
const MAX_PREFACE_BYTES = 64 * 1024;

interface Layout {
  width: number;
  height: number;
  stride: number;
  start: number;
}

/**
 * Any byte of it may have been written by a program in the box. @returns undefined where it is not one of our screens.
 * Pure.
 */
const findLayout = (header: Buffer): Layout | undefined => {
  if (header.length < HEADER_BYTES) return undefined;
  const read = (offset: number): number => header.readUInt32BE(offset);
  const [width, height, stride] = [read(HEADER.width), read(HEADER.height), read(HEADER.stride)];
  const start = read(HEADER.size) + read(HEADER.colours) * COLOUR_BYTES;
  const isKnown = read(HEADER.version) === VERSION && read(HEADER.format) === Z_PIXMAP && read(HEADER.bits) === 32;
  const isSized = width > 0 && width <= MAX_SCREEN.width && height > 0 && height <= MAX_SCREEN.height;
  if (!isKnown || !isSized || stride !== width * 4 || start > MAX_PREFACE_BYTES) return undefined;
  return read(HEADER.byteOrder) === 0 ? { width, height, stride, start } : undefined;
};

/** The part of the rectangle that is on the screen, or else the whole screen. Pure. */
const toVisible = ({ x, y, width, height }: Rectangle, screen: Layout): Rectangle => {
  const [left, top] = [Math.max(0, x), Math.max(0, y)];
  const [right, bottom] = [Math.min(screen.width, x + width), Math.min(screen.height, y + height)];
  if (right <= left || bottom <= top) return { x: 0, y: 0, width: screen.width, height: screen.height };
  return { x: left, y: top, width: right - left, height: bottom - top };
};

/**
 * Reads the content of a screen.
 * @param area undefined for all of it
 * @returns undefined where the file is not a screen
 */
export const findPixels = async (path: string, area?: Rectangle): Promise<Pixels | undefined> => {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (!file) return undefined;
  try {
    if (!(await file.stat()).isFile()) return undefined;
    const layout = findLayout(await readUpTo(file, HEADER_BYTES));
    if (!layout) return undefined;
    const { stride, start } = layout;
    const { x, y, width, height } = toVisible(area ?? { x: 0, y: 0, ...layout }, layout);
    const rows = await readUpTo(file, height * stride, start + y * stride);
    if (rows.length < height * stride) return undefined;
    return { width, height, rgb: toRgb(rows, { x, width, height, stride }) };
  } finally {
    await file.close();
  }
};

/** Xvfb stores blue, green and red of each pixel, and an unused byte. Pure. */
const toRgb = (rows: Buffer, area: { x: number; width: number; height: number; stride: number }): Buffer => {
  const { x, width, height, stride } = area;
  const rgb = Buffer.allocUnsafe(width * height * 3);
  let to = 0;
  for (let y = 0; y < height; y += 1) {
    let from = y * stride + x * 4;
    for (const end = to + width * 3; to < end; to += 3, from += 4) {
      rgb[to] = rows[from + 2] ?? 0;
      rgb[to + 1] = rows[from + 1] ?? 0;
      rgb[to + 2] = rows[from] ?? 0;
    }
  }
  return rgb;
};
