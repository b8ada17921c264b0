import type { Inside } from '@berth/kit';
import { IniText } from './ini.ts';
import { toExpertOptions } from './start-file.ts';
import { encodeText, findText, type TextEncoding } from './text-file.ts';

/** How one program of the family writes its settings. */
export interface OptionsForm {
  settingsFile: string;
  /** Of a settings file that is made anew. */
  encoding: TextEncoding;
  /** The saved passwords, sealed. */
  accountsFile: string;
  /** Where the account stands; '' for keys before any section. */
  accountSection: string;
  /** The Algo Trading button, and where what goes with it stands. */
  tradingSection: string;
  tradingKey: string;
  toTradingOptions(isAllowed: boolean): Record<string, number>;
}

export const mt5Options: OptionsForm = {
  settingsFile: 'config/common.ini',
  encoding: 'utf16le',
  accountsFile: 'config/accounts.dat',
  accountSection: 'Common',
  tradingSection: 'Experts',
  tradingKey: 'Enabled',
  toTradingOptions: (isAllowed) => {
    const { AllowLiveTrading: _, ...saved } = toExpertOptions(isAllowed);
    return saved;
  },
};

export const mt4Options: OptionsForm = {
  settingsFile: 'config/terminal.ini',
  encoding: 'utf8',
  accountsFile: 'config/accounts.ini',
  accountSection: '',
  tradingSection: '',
  tradingKey: 'Experts',
  toTradingOptions: (isAllowed) => ({ Experts: Number(isAllowed) }),
};

/** What a terminal keeps from one run to the next. It rewrites its settings when it is closed: change them while it is stopped. */
export class Options {
  readonly #files: Inside;
  readonly #form: OptionsForm;

  constructor(files: Inside, form: OptionsForm) {
    this.#files = files;
    this.#form = form;
  }

  /** Sets the Algo Trading button for the next start, and keeps account changes from switching it off again. */
  async writeAlgoTrading(isAllowed: boolean): Promise<void> {
    const { tradingSection } = this.#form;
    await this.#edit((ini) => {
      for (const [key, value] of Object.entries(this.#form.toTradingOptions(isAllowed)))
        ini.set(tradingSection, key, value);
    });
  }

  /** The Algo Trading button as it was saved last; null where no file tells. */
  async findAlgoTrading(): Promise<boolean | null> {
    const { settingsFile, tradingSection, tradingKey } = this.#form;
    const content = await findText(this.#files, settingsFile);
    const enabled = content && new IniText(content.text).get(tradingSection, tradingKey);
    return enabled === undefined ? null : enabled === '1';
  }

  /** As `findAlgoTrading`; what no file tells is off, as in a fresh terminal. */
  async readAlgoTrading(): Promise<boolean> {
    return (await this.findAlgoTrading()) ?? false;
  }

  /**
   * Names the account for the next start. The terminal notes it at a clean stop only: after a crash in its first run it
   * would not know whom to log in, although it has the password.
   */
  async ensureAccountNamed(account: { login: string; server: string }): Promise<void> {
    const { accountSection } = this.#form;
    await this.#edit((ini) => {
      if (ini.get(accountSection, 'Login') === account.login) return;
      ini.set(accountSection, 'Login', account.login);
      ini.set(accountSection, 'Server', account.server);
    });
  }

  /** Makes the terminal forget its account: the name in the settings and every saved password. */
  async forgetAccount(): Promise<void> {
    const { accountSection } = this.#form;
    await this.deleteSavedAccounts();
    await this.#edit((ini) => {
      ini.remove(accountSection, 'Login');
      ini.remove(accountSection, 'Server');
    });
  }

  /** The saved passwords are sealed to one folder of one machine; a copy of them makes the terminal wipe its accounts. */
  deleteSavedAccounts(): Promise<void> {
    return this.#files.removeFile(this.#form.accountsFile);
  }

  /** Whether a later start needs no password. */
  hasSavedAccount(): Promise<boolean> {
    return this.#files.hasFile(this.#form.accountsFile);
  }

  async #edit(edit: (ini: IniText) => void): Promise<void> {
    const { settingsFile, encoding } = this.#form;
    const content = (await findText(this.#files, settingsFile)) ?? { text: '', encoding };
    const ini = new IniText(content.text);
    edit(ini);
    const text = ini.toString();
    if (text === content.text) return;
    await this.#files.replaceFile(settingsFile, encodeText({ text, encoding: content.encoding }));
  }
}
