import { basename } from 'node:path';
import { UnsafeFileError, type ConfinedFiles } from '@berth/kit';
import type { CodePage } from '../code-page.ts';
import { findChartBlock, listUnknownLines, toChartText, type ChartBlock } from './chart-text.ts';
import { toChart, type Chart, type ChartForm } from './charts.ts';
import { isChartFile, ORDER_FILE, OrderText, sortCharts } from './order-file.ts';
import { findProfileFolder, type ProfileForm } from './profile-form.ts';
import { decodeText, encodeText, TERMINAL_FILE, unlessUnsafe, type TextContent } from './text-file.ts';

/** The terminal's own limit. */
export const MAX_CHARTS = 100;

/** All charts of a profile are in memory at once: a chart with many drawings has a few megabytes. */
const MAX_PROFILE_BYTES = 32 * 1024 * 1024;

/** A chart of the profile together with its file. */
export interface ProfileChart extends Chart, Omit<TextContent, 'text'> {
  file: string;
  /** The file's content; changes take effect once it was passed to `write`. */
  block: ChartBlock;
}

export interface ProfileContent {
  charts: ProfileChart[];
  /** Unknown files and lines, for a person. They stay as they are. */
  notUnderstood: string[];
}

/** A chart's id for users: the terminal's number for it, or its file name without extension where it has none yet. */
export const toChartId = ({ id, file }: Pick<ProfileChart, 'id' | 'file'>): string =>
  id ?? basename(file).replace(/\.chr$/i, '');

/** A profile's folder as it is at this moment. */
interface Listing {
  folder: string;
  codePage: CodePage | undefined;
  /** The order file's content; undefined where there is none. */
  orderBytes: Buffer | undefined;
  order: OrderText;
  /** The files of the charts. */
  files: string[];
}

/** Of the unknown lines of one chart. */
const MAX_UNKNOWN_LINES = 20;

/**
 * The charts that the terminal opens at its start, in order. A running terminal keeps its charts in memory and rewrites
 * these files when it is closed, sometimes under other names: read them again, and change them, while it is stopped.
 */
export class Profile {
  readonly #files: ConfinedFiles;
  readonly #place: ProfileForm;
  readonly #form: ChartForm;
  readonly #findCodePage: () => Promise<CodePage | undefined>;

  /** @param findCodePage of the 8-bit files; undefined where there are none, or it is unknown */
  constructor(
    files: ConfinedFiles,
    place: ProfileForm,
    form: ChartForm,
    findCodePage: () => Promise<CodePage | undefined> = async () => undefined,
  ) {
    this.#files = files;
    this.#place = place;
    this.#form = form;
    this.#findCodePage = findCodePage;
  }

  /** Damaged files are skipped, and so are those beyond the total size. */
  async listCharts(options: { maxBytes?: number } = {}): Promise<ProfileChart[]> {
    return (await this.read(options)).charts;
  }

  /** Like `listCharts`, with what was skipped. */
  async read({ maxBytes = MAX_PROFILE_BYTES } = {}): Promise<ProfileContent> {
    const listing = await this.#list();
    const contents = await this.#readFiles(listing, maxBytes);
    const charts: ProfileChart[] = [];
    const notUnderstood: string[] = [];
    for (const file of listing.files) {
      const bytes = contents.get(file);
      const { text, ...stored } = decodeText(bytes ?? Buffer.alloc(0), listing.codePage);
      const block = findChartBlock(text);
      if (block) {
        charts.push({ ...toChart(this.#form, block), file, block, ...stored });
        notUnderstood.push(
          ...listUnknownLines(block)
            .slice(0, MAX_UNKNOWN_LINES)
            .map((line) => `${file}: ${line}`),
        );
      } else notUnderstood.push(`${file}: ${bytes ? 'no chart, or one that is cut short' : 'not there, or too large'}`);
    }
    const sorted = sortCharts(charts, listing.order.list());
    const lines = sorted.unknown.filter((line) => !listing.files.includes(line));
    return {
      charts: sorted.charts,
      notUnderstood: [...lines.map((line) => `${ORDER_FILE}: ${line}`), ...notUnderstood],
    };
  }

  /** Adds a chart after the others, under an unused name. @returns its file */
  async add(block: ChartBlock): Promise<string> {
    const listing = await this.#list();
    const { folder, codePage, order, files } = listing;
    const taken = new Set([...files, ...(await this.#listNames(folder))].map((file) => file.toLowerCase()));
    let number = 1;
    while (taken.has(toChartFile(number))) number += 1;
    const file = toChartFile(number);
    await this.#write(folder, { file, block, encoding: codePage ?? this.#form.encoding });
    order.add(this.#place.order.toOrderLine({ ...toChart(this.#form, block), file }));
    await this.#writeOrder(listing);
    return file;
  }

  async write(chart: Pick<ProfileChart, 'file' | 'block' | 'encoding' | 'rest'>): Promise<void> {
    await this.#write((await this.#list()).folder, chart);
  }

  async remove(charts: readonly Pick<ProfileChart, 'file' | 'symbol' | 'period'>[]): Promise<void> {
    const listing = await this.#list();
    for (const chart of charts) listing.order.remove(chart);
    await this.#writeOrder(listing);
    for (const { file } of charts) await this.#files.removeFile(`${listing.folder}/${file}`);
  }

  /**
   * Remembers the current content of all files. @returns a function that restores them and deletes files added since
   */
  async takeSnapshot(): Promise<() => Promise<void>> {
    const before = await this.#list();
    const contents = await this.#readFiles(before);
    const { folder, orderBytes } = before;
    const known = new Set((await this.#listNames(folder)).map((name) => name.toLowerCase()));
    return async () => {
      for (const [file, bytes] of contents) await this.#restore(`${folder}/${file}`, bytes);
      await this.#restore(`${folder}/${ORDER_FILE}`, orderBytes);
      const added = (await this.#listNames(folder)).filter((name) => !known.has(name.toLowerCase()));
      for (const file of added) await this.#files.removeFile(`${folder}/${file}`);
    };
  }

  async #list(): Promise<Listing> {
    const codePage = await this.#findCodePage();
    const folder = await findProfileFolder(this.#files, this.#place, codePage);
    const orderBytes = await this.#files.findBytes(`${folder}/${ORDER_FILE}`);
    const order = new OrderText(orderBytes ? decodeText(orderBytes, codePage).text : '');
    const files = await this.#place.order.listFiles(order, () => this.#listNames(folder));
    return { folder, codePage, orderBytes, order, files: files.slice(0, MAX_CHARTS) };
  }

  /** Throws UnsafeFileError for a folder with too many files: it would be unknown which names are free. */
  async #listNames(path: string): Promise<string[]> {
    const folder = await this.#files.findFolder(path);
    try {
      const { names, isWhole } = (await folder?.listNames()) ?? { names: [], isWhole: true };
      if (!isWhole) throw new UnsafeFileError('The folder of the charts holds more files than any terminal makes.');
      return names.filter(isChartFile).sort();
    } finally {
      await folder?.close();
    }
  }

  async #write(
    folder: string,
    { file, block, ...stored }: Pick<ProfileChart, 'file' | 'block' | 'encoding' | 'rest'>,
  ): Promise<void> {
    const { encoding, rest } = stored;
    const content = { text: toChartText(block), encoding, ...(rest ? { rest } : {}) };
    await this.#files.replaceFile(`${folder}/${file}`, encodeText(content), TERMINAL_FILE);
  }

  async #writeOrder({ folder, codePage, order, orderBytes }: Listing): Promise<void> {
    const stored = orderBytes ? decodeText(orderBytes, codePage) : { encoding: codePage ?? this.#form.encoding };
    const bytes = encodeText({ ...stored, text: order.toString() });
    if (orderBytes?.equals(bytes)) return;
    await this.#files.replaceFile(`${folder}/${ORDER_FILE}`, bytes, TERMINAL_FILE);
  }

  /** Unchanged files are not rewritten, which might need space on a full disk. */
  async #restore(path: string, bytes: Buffer | undefined): Promise<void> {
    const current = await unlessUnsafe(() => this.#files.findBytes(path));
    if (!bytes) await this.#files.removeFile(path);
    else if (!current?.equals(bytes)) await this.#files.replaceFile(path, bytes, TERMINAL_FILE);
  }

  /** As many of the files as fit; anything that is not a plain file counts as damaged. */
  async #readFiles({ folder, files }: Listing, maxBytes = MAX_PROFILE_BYTES): Promise<Map<string, Buffer>> {
    const contents = new Map<string, Buffer>();
    let leftBytes = maxBytes;
    for (const file of files) {
      const bytes = await unlessUnsafe(() => this.#files.findBytes(`${folder}/${file}`));
      leftBytes -= bytes?.length ?? 0;
      if (bytes && leftBytes >= 0) contents.set(file, bytes);
    }
    return contents;
  }
}

const toChartFile = (number: number): string => `chart${String(number).padStart(2, '0')}.chr`;
