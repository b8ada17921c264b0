import type { ConfinedFiles } from '@berth/kit';
import { encodeStartFile, type StartFile, type StartFileForm } from '../files/start-file.ts';
import type { TerminalHome } from '../home.ts';

/**
 * The place of a terminal's start file, which holds the password for as long as the terminal needs to log in.
 *
 *   absent ─ write ─▶ with account ─ retire ─▶ without ─ remove ─▶ absent
 *
 * It is emptied rather than removed: a terminal that restarts itself for an update comes back with the same switches and
 * refuses to start when the file is gone.
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

  /** Writes the file, mode 0600. @returns what the terminal calls it. */
  async write(content: StartFile): Promise<string> {
    this.#mayHoldAccount = true;
    await this.#enqueue(() => this.#drive.replaceFile(this.#file.name, encodeStartFile(this.#form, content)));
    return this.#file.insidePath;
  }

  /** Takes the account out; resolves when it is. */
  async retire(): Promise<void> {
    if (!this.#mayHoldAccount) return this.#last;
    this.#mayHoldAccount = false;
    await this.#enqueue(() => this.#takeAccountOut());
  }

  /** Drafts go too: one that an agent left when it was killed holds the password as well. */
  async remove(): Promise<void> {
    const { name } = this.#file;
    this.#mayHoldAccount = false;
    await this.#enqueue(() => this.#drive.removeFile(name).then(() => this.#drive.removeDrafts(name)));
  }

  /** On a full disk the file is cut short where it is, which takes no room: a password must not wait for some. */
  async #takeAccountOut(): Promise<void> {
    const { name } = this.#file;
    try {
      await this.#drive.replaceFile(name, this.#form.withoutSecrets).catch(() => this.#drive.emptyFile(name));
    } catch (error) {
      this.#mayHoldAccount = true;
      throw error;
    }
  }

  /** In the order of the calls: an emptied file must not be followed by its own past. */
  #enqueue(act: () => Promise<void>): Promise<void> {
    const done = this.#last.then(act);
    this.#last = done.catch(() => {});
    return done;
  }
}
