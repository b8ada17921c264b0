/**
 * Compares a page with an image of it that is kept in `test/browser/looks`. One that is not there is taken, and fails
 * its flow once: look at it, and commit it. To renew an image, delete it.
 *
 * The letters are of fonts that the dashboard brings along, so they stand at the same place everywhere; only how their
 * edges are smoothed differs between machines. So squares of 4 by 4 pixels are compared, by their mean colour: smoothing
 * changes that by a few of 255 steps, a letter that is another one by more than 40. One in 200 squares may differ: that is
 * a word of a page, and less than a line, a button or a column that is lost, moved or of another colour.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { PNG } from 'pngjs';
import { see } from './flow.ts';

const SQUARE = 4;
const MAX_STEPS = 40;
const MAX_PART = 1 / 200;
const kept = join(import.meta.dirname, '../looks');
const seen = join(import.meta.dirname, '../../../.build/browser');

/** The mean colour of each square, three numbers for each. */
const toSquares = ({ width, height, data }: PNG): number[] => {
  const [columns, rows] = [Math.ceil(width / SQUARE), Math.ceil(height / SQUARE)];
  const sums = new Array<number>(columns * rows * 3).fill(0);
  for (let index = 0; index < width * height; index += 1) {
    const row = Math.floor(index / width / SQUARE);
    const at = (row * columns + Math.floor((index % width) / SQUARE)) * 3;
    for (const colour of [0, 1, 2]) sums[at + colour]! += (data[index * 4 + colour] ?? 0) / SQUARE ** 2;
  }
  return sums;
};

/** @returns the part of the squares that differ; 1 where the sizes do */
export const toDifference = (one: PNG, other: PNG): number => {
  if (one.width !== other.width || one.height !== other.height) return 1;
  const [a, b] = [toSquares(one), toSquares(other)];
  let different = 0;
  for (let at = 0; at < a.length; at += 3) {
    const steps = [0, 1, 2].map((colour) => Math.abs((a[at + colour] ?? 0) - (b[at + colour] ?? 0)));
    if (Math.max(...steps) > MAX_STEPS) different += 1;
  }
  return different / (a.length / 3);
};

/** Parts of a page that are loaded after the rest may come late on a busy machine. */
const SETTLED_MS = 20_000;

/** Fails when the window does not come to look as it did; what it looks like is then in `.build/browser/`. */
export const assertLooks = async (page: Page, name: string): Promise<void> => {
  const path = join(kept, `${name}.png`);
  const take = () => page.screenshot({ animations: 'disabled' });
  if (!existsSync(path)) {
    await mkdir(kept, { recursive: true });
    await writeFile(path, await take());
    throw new Error(`There was no image ${path}. It was taken: look at it, and commit it.`);
  }
  const expected = PNG.sync.read(await readFile(path));
  const measure = async () => {
    const taken = await take();
    const difference = toDifference(expected, PNG.sync.read(taken));
    if (difference > MAX_PART) {
      await mkdir(seen, { recursive: true });
      await writeFile(join(seen, `looks-${name}.png`), taken);
    }
    return difference;
  };
  const message = `${name} looks otherwise: compare ${path} with .build/browser/looks-${name}.png`;
  await see.poll(measure, { message, timeout: SETTLED_MS }).toBeLessThanOrEqual(MAX_PART);
};
