import { isSameLogin } from '@berth/contract/values';
import type { ConfinedFiles } from '@berth/kit';
import { closeMcpServer } from './assistant-file.ts';
import { IniText } from './ini.ts';
import { toExpertOptions } from './start-file.ts';
import { encodeText, findText, type TextEncoding } from './text-file.ts';

/** How one program of the family writes its settings. */
export interface OptionsForm {
  settingsFile: string;
  /** The encoding of a newly created settings file. */
  encoding: TextEncoding;
  /** The saved passwords, encrypted. */
  accountsFile: string;
  /** Whether the program has an MCP server, which is closed at each start. */
  hasMcpServer: boolean;
  /** The section that names the account; undefined where only the start file can. */
  accountSection: string | undefined;
  /** The Algo Trading button, and what goes with it; undefined where only the start file and the window can change it. */
  trading: { section: string; key: string; toOptions(isAllowed: boolean): Record<string, number> } | undefined;
}

export const mt5Options: OptionsForm = {
  settingsFile: 'config/common.ini',
  encoding: 'utf16le',
  accountsFile: 'config/accounts.dat',
  hasMcpServer: true,
  accountSection: 'Common',
  trading: {
    section: 'Experts',
    key: 'Enabled',
    toOptions: (isAllowed) => {
      const { AllowLiveTrading: _, ...saved } = toExpertOptions(isAllowed);
      return saved;
    },
  },
};

/**
 * `terminal.ini` contains neither the account nor the switch: its only `Experts` key is the state of a branch in the
 * Navigator. Both are in files of a proprietary format, which are not written.
 */
export const mt4Options: OptionsForm = {
  settingsFile: 'config/terminal.ini',
  encoding: 'utf8',
  accountsFile: 'config/accounts.ini',
  hasMcpServer: false,
  accountSection: undefined,
  trading: undefined,
};

/** What a terminal keeps between runs. It rewrites its settings when it is closed: change them while it is stopped. */
export class Options {
  readonly #files: ConfinedFiles;
  readonly #form: OptionsForm;

  constructor(files: ConfinedFiles, form: OptionsForm) {
    this.#files = files;
    this.#form = form;
  }

  /** Sets the Algo Trading button for the next start, and keeps account changes from turning it off again. */
  async writeAlgoTrading(isAllowed: boolean): Promise<void> {
    const { trading } = this.#form;
    if (!trading) return;
    await this.#edit((ini) => {
      for (const [key, value] of Object.entries(trading.toOptions(isAllowed))) ini.set(trading.section, key, value);
    });
  }

  /** The Algo Trading button as last saved; null where no file has it. */
  async findAlgoTrading(): Promise<boolean | null> {
    const { settingsFile, trading } = this.#form;
    const content = trading && (await findText(this.#files, settingsFile));
    const enabled = content && new IniText(content.text).get(trading.section, trading.key);
    return enabled === undefined ? null : enabled === '1';
  }

  /**
   * Sets the account for the next start. The terminal saves it at a clean stop only: after a crash in its first run it
   * would not know which account to log in to, although it has the password.
   */
  async ensureAccountNamed(account: { login: string; server: string }): Promise<void> {
    const { accountSection } = this.#form;
    if (accountSection === undefined) return;
    await this.#edit((ini) => {
      if (isSameLogin(ini.get(accountSection, 'Login') ?? '', account.login)) return;
      ini.set(accountSection, 'Login', account.login);
      ini.set(accountSection, 'Server', account.server);
    });
  }

  /** Makes the terminal forget its account: the name in the settings and every saved password. */
  async forgetAccount(): Promise<void> {
    const { accountSection } = this.#form;
    await this.deleteSavedAccounts();
    if (accountSection === undefined) return;
    await this.#edit((ini) => {
      ini.remove(accountSection, 'Login');
      ini.remove(accountSection, 'Server');
    });
  }

  /**
   * The saved passwords are encrypted for one folder of one machine; a copy of them makes the terminal wipe its
   * accounts.
   */
  deleteSavedAccounts(): Promise<void> {
    return this.#files.removeFile(this.#form.accountsFile);
  }

  /** Whether a later start needs no password. */
  hasSavedAccount(): Promise<boolean> {
    return this.#files.hasFile(this.#form.accountsFile);
  }

  /** Unknown lines of the settings. They stay as they are. */
  async listUnknownLines(): Promise<string[]> {
    const { settingsFile } = this.#form;
    const content = await findText(this.#files, settingsFile);
    return content ? new IniText(content.text).listUnknownLines().map((line) => `${settingsFile}: ${line}`) : [];
  }

  /**
   * Closes the program's MCP server for the next start: it could trade, and every copy of the base has the same key.
   */
  async closeMcpServer(): Promise<void> {
    if (this.#form.hasMcpServer) await closeMcpServer(this.#files, { keepsOthers: true });
  }

  async #edit(edit: (ini: IniText) => void): Promise<void> {
    const { settingsFile, encoding } = this.#form;
    const content = (await findText(this.#files, settingsFile)) ?? { text: '', encoding };
    const ini = new IniText(content.text);
    edit(ini);
    const text = ini.toString();
    if (text === content.text) return;
    await this.#files.replaceFile(settingsFile, encodeText({ ...content, text }));
  }
}
