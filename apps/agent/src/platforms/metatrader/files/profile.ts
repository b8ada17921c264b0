import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { replaceFile } from '@berth/kit';
import { findChartBlock, toChartText, type ChartBlock } from './chart-text.ts';
import { toChart, type Chart } from './charts.ts';
import { ensureParentFolder, toDiskPath } from './disk-path.ts';
import { encodeText, findBytes, findText, fromLines, toLines, type TextEncoding, TERMINAL_FILE } from './text-file.ts';

const ORDER_FILE = 'order.wnd';
const STANDARD_PROFILE = 'Default';
/** The terminal's own limit. */
export const MAX_CHARTS = 100;

/** A chart of the profile together with its file. */
export interface ProfileChart extends Chart {
  file: string;
  /** The file's content; changes to it count once `write` got it. */
  block: ChartBlock;
  encoding: TextEncoding;
}

/** What a chart is called towards users: the terminal's number for it, or the stem of its file where it has none yet. */
export const toChartId = ({ id, file }: Pick<ProfileChart, 'id' | 'file'>): string => id ?? basename(file, '.chr');

/**
 * The charts that the terminal opens at its start, in their order. A running terminal holds its charts in memory and
 * rewrites these files when it is closed: change them only while it is stopped.
 */
export class Profile {
  readonly #root: string;
  readonly #folder: string;

  constructor(root: string, name: string = STANDARD_PROFILE) {
    this.#root = root;
    this.#folder = `MQL5/Profiles/Charts/${name}`;
  }

  /** The charts that `order.wnd` names; files that it does not name are leftovers, damaged ones are passed over. */
  async listCharts(): Promise<ProfileChart[]> {
    const charts: ProfileChart[] = [];
    for (const file of await this.#readOrder()) {
      const content = await findText(await this.#toPath(file));
      const block = content && findChartBlock(content.text);
      if (block) charts.push({ ...toChart(block), file, block, encoding: content.encoding });
    }
    return charts;
  }

  /** Adds a chart behind the others. @returns its file. */
  async add(block: ChartBlock): Promise<string> {
    const order = await this.#readOrder();
    const taken = new Set(order.map((file) => file.toLowerCase()));
    let number = 1;
    while (taken.has(toChartFile(number))) number += 1;
    await this.write({ file: toChartFile(number), block, encoding: 'utf16le' });
    await this.#writeOrder([...order, toChartFile(number)]);
    return toChartFile(number);
  }

  async write({ file, block, encoding }: Pick<ProfileChart, 'file' | 'block' | 'encoding'>): Promise<void> {
    const path = await ensureParentFolder(this.#root, `${this.#folder}/${file}`);
    await replaceFile(path, encodeText({ text: toChartText(block), encoding }), TERMINAL_FILE);
  }

  async remove(files: readonly string[]): Promise<void> {
    const order = await this.#readOrder();
    await this.#writeOrder(order.filter((file) => !files.includes(file)));
    for (const file of files) await rm(await this.#toPath(file), { force: true });
  }

  /** Remembers every file as it is now. @returns how to put them back and drop what was added since. */
  async takeSnapshot(): Promise<() => Promise<void>> {
    const order = await this.#readOrder();
    const contents = new Map<string, Buffer>();
    for (const file of order) {
      const bytes = await findBytes(await this.#toPath(file));
      if (bytes) contents.set(file, bytes);
    }
    return async () => {
      const added = (await this.#readOrder()).filter((file) => !order.includes(file));
      for (const [file, bytes] of contents) {
        const path = await this.#toPath(file);
        // What is as it was needs no room on a disk that may be full.
        if (!(await findBytes(path))?.equals(bytes)) await replaceFile(path, bytes, TERMINAL_FILE);
      }
      if (!isDeepStrictEqual(await this.#readOrder(), order)) await this.#writeOrder(order);
      for (const file of added) await rm(await this.#toPath(file), { force: true });
    };
  }

  async #readOrder(): Promise<string[]> {
    const content = await findText(await this.#toPath(ORDER_FILE));
    const names = content ? toLines(content.text).map((line) => line.trim()) : [];
    return [...new Set(names)].filter((name) => /^[^\\/]+\.chr$/i.test(name)).slice(0, MAX_CHARTS);
  }

  async #writeOrder(files: readonly string[]): Promise<void> {
    const path = await ensureParentFolder(this.#root, `${this.#folder}/${ORDER_FILE}`);
    await replaceFile(path, encodeText({ text: fromLines(files), encoding: 'utf16le' }), TERMINAL_FILE);
  }

  #toPath(file: string): Promise<string> {
    return toDiskPath(this.#root, `${this.#folder}/${file}`);
  }
}

const toChartFile = (number: number): string => `chart${String(number).padStart(2, '0')}.chr`;
