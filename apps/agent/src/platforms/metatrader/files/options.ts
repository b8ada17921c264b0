import type { Inside } from '@berth/kit';
import { IniText } from './ini.ts';
import { toExpertOptions } from './start-file.ts';
import { encodeText, findText } from './text-file.ts';

const SETTINGS_FILE = 'config/common.ini';
const ACCOUNTS_FILE = 'config/accounts.dat';

/** `common.ini`. The terminal rewrites it when it is closed: change it only while the terminal is stopped. */
const editSettings = async (files: Inside, edit: (ini: IniText) => void): Promise<void> => {
  const content = (await findText(files, SETTINGS_FILE)) ?? { text: '', encoding: 'utf16le' as const };
  const ini = new IniText(content.text);
  edit(ini);
  const text = ini.toString();
  if (text === content.text) return;
  await files.replaceFile(SETTINGS_FILE, encodeText({ text, encoding: content.encoding }));
};

/** Sets the Algo Trading button for the next start, and keeps account changes from switching it off again. */
export const writeAlgoTrading = (files: Inside, isAllowed: boolean): Promise<void> =>
  editSettings(files, (ini) => {
    const { AllowLiveTrading: _, ...saved } = toExpertOptions(isAllowed);
    for (const [key, value] of Object.entries(saved)) ini.set('Experts', key, value);
  });

/** The Algo Trading button as it was saved last; null where no file tells. */
export const findAlgoTrading = async (files: Inside): Promise<boolean | null> => {
  const content = await findText(files, SETTINGS_FILE);
  const enabled = content && new IniText(content.text).get('Experts', 'Enabled');
  return enabled === undefined ? null : enabled === '1';
};

/** As `findAlgoTrading`; what no file tells is off, as in a fresh terminal. */
export const readAlgoTrading = async (files: Inside): Promise<boolean> => (await findAlgoTrading(files)) ?? false;

/**
 * Names the account for the next start. The terminal notes it at a clean stop only: after a crash in its first run it
 * would not know whom to log in, although it has the password.
 */
export const ensureAccountNamed = (files: Inside, account: { login: string; server: string }): Promise<void> =>
  editSettings(files, (ini) => {
    if (ini.get('Common', 'Login') === account.login) return;
    ini.set('Common', 'Login', account.login);
    ini.set('Common', 'Server', account.server);
  });

/** Makes the terminal forget its account: the name in the settings and every saved password. */
export const forgetAccount = async (files: Inside): Promise<void> => {
  await deleteSavedAccounts(files);
  await editSettings(files, (ini) => {
    ini.remove('Common', 'Login');
    ini.remove('Common', 'Server');
  });
};

/** The saved passwords are sealed to one folder of one machine; a copy of them makes the terminal wipe its accounts. */
export const deleteSavedAccounts = (files: Inside): Promise<void> => files.removeFile(ACCOUNTS_FILE);

/** Whether a later start needs no password. */
export const hasSavedAccount = (files: Inside): Promise<boolean> => files.hasFile(ACCOUNTS_FILE);
