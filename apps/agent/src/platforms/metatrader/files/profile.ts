import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { UnsafeFileError, type Inside } from '@berth/kit';
import { findChartBlock, toChartText, type ChartBlock } from './chart-text.ts';
import { toChart, type Chart, type ChartForm } from './charts.ts';
import { decodeText, encodeText, findText, fromLines, toLines, type TextEncoding, TERMINAL_FILE } from './text-file.ts';

const ORDER_FILE = 'order.wnd';
/** The terminal's own limit. */
export const MAX_CHARTS = 100;

/** All charts of a profile are in memory at once: a chart with much drawn on it has a megabyte. */
const MAX_PROFILE_BYTES = 32 * 1024 * 1024;

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
  readonly #files: Inside;
  readonly #folder: string;
  readonly #form: ChartForm;

  /** @param folder of the profile, below the terminal's */
  constructor(files: Inside, folder: string, form: ChartForm) {
    this.#files = files;
    this.#folder = folder;
    this.#form = form;
  }

  /**
   * The charts that `order.wnd` names; files that it does not name are leftovers, damaged ones are passed over, and so is what
   * does not fit into so many bytes together.
   */
  async listCharts({ maxBytes = MAX_PROFILE_BYTES } = {}): Promise<ProfileChart[]> {
    const charts: ProfileChart[] = [];
    for (const [file, bytes] of await this.#readFiles(await this.#readOrder(), maxBytes)) {
      const { text, encoding } = decodeText(bytes);
      const block = findChartBlock(text);
      if (block) charts.push({ ...toChart(this.#form, block), file, block, encoding });
    }
    return charts;
  }

  /** Adds a chart behind the others. @returns its file. */
  async add(block: ChartBlock): Promise<string> {
    const order = await this.#readOrder();
    const taken = new Set(order.map((file) => file.toLowerCase()));
    let number = 1;
    while (taken.has(toChartFile(number))) number += 1;
    await this.write({ file: toChartFile(number), block, encoding: this.#form.encoding });
    await this.#writeOrder([...order, toChartFile(number)]);
    return toChartFile(number);
  }

  async write({ file, block, encoding }: Pick<ProfileChart, 'file' | 'block' | 'encoding'>): Promise<void> {
    await this.#files.replaceFile(
      this.#toPath(file),
      encodeText({ text: toChartText(block), encoding }),
      TERMINAL_FILE,
    );
  }

  async remove(files: readonly string[]): Promise<void> {
    const order = await this.#readOrder();
    await this.#writeOrder(order.filter((file) => !files.includes(file)));
    for (const file of files) await this.#files.removeFile(this.#toPath(file));
  }

  /** Remembers every file as it is now. @returns how to put them back and drop what was added since. */
  async takeSnapshot(): Promise<() => Promise<void>> {
    const order = await this.#readOrder();
    const contents = await this.#readFiles(order);
    return async () => {
      const added = (await this.#readOrder()).filter((file) => !order.includes(file));
      for (const [file, bytes] of contents) {
        // What is as it was needs no room on a disk that may be full.
        if ((await this.#findChart(file))?.equals(bytes)) continue;
        await this.#files.replaceFile(this.#toPath(file), bytes, TERMINAL_FILE);
      }
      if (!isDeepStrictEqual(await this.#readOrder(), order)) await this.#writeOrder(order);
      for (const file of added) await this.#files.removeFile(this.#toPath(file));
    };
  }

  async #readOrder(): Promise<string[]> {
    const content = await findText(this.#files, this.#toPath(ORDER_FILE));
    const names = content ? toLines(content.text).map((line) => line.trim()) : [];
    return [...new Set(names)].filter((name) => /^[^\\/]+\.chr$/i.test(name)).slice(0, MAX_CHARTS);
  }

  async #writeOrder(files: readonly string[]): Promise<void> {
    const content = encodeText({ text: fromLines(files), encoding: this.#form.encoding });
    await this.#files.replaceFile(this.#toPath(ORDER_FILE), content, TERMINAL_FILE);
  }

  /** As many of the files as fit; what is no plain file counts as damaged. */
  async #readFiles(files: readonly string[], maxBytes = MAX_PROFILE_BYTES): Promise<Map<string, Buffer>> {
    const contents = new Map<string, Buffer>();
    let leftBytes = maxBytes;
    for (const file of files) {
      const bytes = await this.#findChart(file);
      leftBytes -= bytes?.length ?? 0;
      if (bytes && leftBytes >= 0) contents.set(file, bytes);
    }
    return contents;
  }

  async #findChart(file: string): Promise<Buffer | undefined> {
    try {
      return await this.#files.findBytes(this.#toPath(file));
    } catch (error) {
      if (error instanceof UnsafeFileError) return undefined;
      throw error;
    }
  }

  #toPath(file: string): string {
    return `${this.#folder}/${file}`;
  }
}

const toChartFile = (number: number): string => `chart${String(number).padStart(2, '0')}.chr`;
