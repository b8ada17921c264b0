import type { ConfinedFiles } from '@berth/kit';
import { encodeStartFile, type StartFile, type StartFileForm } from '../files/start-file.ts';
import type { TerminalHome } from '../home.ts';

/**
 * The location of a terminal's start file, which holds the password for as long as the terminal needs to log in.
 *
 *   absent ─ write ─▶ with account ─ retire ─▶ without ─ remove ─▶ absent
 *
 * It is emptied rather than removed: a terminal that restarts itself for an update comes back with the same arguments
 * and refuses to start when the file is gone.
 */
export class StartFileSlot {
  readonly #drive: ConfinedFiles;
  readonly #file: TerminalHome['startFile'];
  readonly #form: StartFileForm;
  #mayHoldAccount = true;
  #last: Promise<void> = Promise.resolve();

  constructor({ drive, startFile }: Pick<TerminalHome, 'drive' | 'startFile'>, form: StartFileForm) {
    this.#form = form;
    this.#drive = drive;
    this.#file = startFile;
  }

  /** Writes the file, mode 0600. @returns its path for the terminal */
  async write(content: StartFile): Promise<string> {
    this.#mayHoldAccount = true;
    await this.#enqueue(() => this.#drive.replaceFile(this.#file.name, encodeStartFile(this.#form, content)));
    return this.#file.insidePath;
  }

  /** Removes the account; resolves when that is done. */
  async retire(): Promise<void> {
    if (!this.#mayHoldAccount) return this.#last;
    this.#mayHoldAccount = false;
    await this.#enqueue(() => this.#takeAccountOut());
  }

  /** Drafts are removed too: one left by a killed agent also contains the password. */
  async remove(): Promise<void> {
    const { name } = this.#file;
    this.#mayHoldAccount = false;
    await this.#enqueue(() => this.#drive.removeFile(name).then(() => this.#drive.removeDrafts(name)));
  }

  /**
   * On a full disk the file is truncated in place, which takes no space: removing a password must not wait for some.
   */
  async #takeAccountOut(): Promise<void> {
    const { name } = this.#file;
    try {
      await this.#drive.replaceFile(name, this.#form.withoutSecrets).catch(() => this.#drive.emptyFile(name));
    } catch (error) {
      this.#mayHoldAccount = true;
      throw error;
    }
  }

  /** In the order of the calls: an emptied file must not be overwritten by its former content. */
  #enqueue(act: () => Promise<void>): Promise<void> {
    const done = this.#last.then(act);
    this.#last = done.catch(() => {});
    return done;
  }
}
