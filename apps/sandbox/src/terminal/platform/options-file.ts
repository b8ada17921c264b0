import { ensureFolderOf, resolveOnDisk } from '../../files/folder.ts';
import { Ini } from '../../files/ini.ts';
import type { Seal } from '../../files/sealed.ts';
import { findText, writeLines } from '../../files/text-file.ts';
import type { Platform } from './platform.ts';
import type { Settings } from './settings.ts';
import type { StartFile } from './start-file.ts';

/** The settings file: read at the start, rewritten at a clean stop, overwriting any edits in between. */
export class OptionsFile {
  readonly settings: Settings;
  readonly #root: string;
  readonly #platform: Platform;
  readonly #seal: Seal;
  readonly #ini: Ini;
  #urls: string[];

  constructor(root: string, platform: Platform, seal: Seal) {
    this.#root = root;
    this.#platform = platform;
    this.#seal = seal;
    this.#ini = new Ini(findText(resolveOnDisk(root, platform.layout.settings)));
    this.settings = platform.readSettings(this.#ini);
    this.#urls = this.#openUrls();
  }

  /** Applies the start file; a key that it lacks keeps its value. */
  apply(start: StartFile): void {
    const { settings } = this;
    settings.algoTrading = start.algoTrading ?? settings.algoTrading;
    settings.allowDll = start.allowDll ?? settings.allowDll;
    settings.offOnAccountChange = start.offOnAccountChange ?? settings.offOnAccountChange;
    settings.offOnProfileChange = start.offOnProfileChange ?? settings.offOnProfileChange;
  }

  listWebRequests(): string[] {
    return this.#urls;
  }

  /** Replaces the list of allowed URLs; it reaches the disk at a clean stop. */
  setWebRequests(urls: string[]): void {
    this.#urls = urls;
    this.settings.webRequest = urls.length > 0;
    this.settings.webRequestUrl =
      urls.length > 0 ? this.#seal.close(JSON.stringify(urls)).toString('hex').toUpperCase() : '';
  }

  save(): void {
    this.#platform.writeSettings(this.#ini, this.settings);
    const path = ensureFolderOf(this.#root, this.#platform.layout.settings);
    writeLines(path, this.#ini.toLines(), this.#platform.chartEncoding);
  }

  /** A list from another machine or folder cannot be decrypted: it counts as empty. */
  #openUrls(): string[] {
    if (!this.settings.webRequest || this.settings.webRequestUrl === '') return [];
    const text = this.#seal.open(Buffer.from(this.settings.webRequestUrl, 'hex'));
    return text === undefined ? [] : (JSON.parse(text) as string[]);
  }
}
