/** Encodes images of screens: rows of plain pixels become a PNG. */
import { Readable } from 'node:stream';
import { PNG } from 'pngjs';

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
