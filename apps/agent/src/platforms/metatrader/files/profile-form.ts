import { isSingleLine } from '@berth/contract/values';
import { UnsafeFileError, type ConfinedFiles } from '@berth/kit';
import type { CodePage } from '../code-page.ts';
import { IniText } from './ini.ts';
import { ORDER_FILE, mt4Order, mt5Order, type OrderForm } from './order-file.ts';
import { findText } from './text-file.ts';

/** Where one program of the family keeps its profiles, and how it saves which one opens at its start. */
export interface ProfileForm {
  /** Of all profiles, below the terminal's folder. */
  folder: string;
  fallback: string;
  order: OrderForm;
  /** The profile that was open last; undefined where the terminal saved none. */
  findLast(files: ConfinedFiles, codePage: CodePage | undefined): Promise<string | undefined>;
}

export const mt5Profiles: ProfileForm = {
  folder: 'MQL5/Profiles/Charts',
  fallback: 'Default',
  order: mt5Order,
  findLast: async (files) => {
    const content = await findText(files, 'config/common.ini');
    return content && new IniText(content.text).get('Charts', 'ProfileLast');
  },
};

export const mt4Profiles: ProfileForm = {
  folder: 'profiles',
  fallback: 'default',
  order: mt4Order,
  findLast: async (files, codePage) =>
    (await findText(files, 'profiles/lastprofile.ini', codePage))?.text.split(/[\r\n]/)[0]?.trim(),
};

const isFolderName = (name: string): boolean => isSingleLine(name) && !/[\\/:]/.test(name) && !/^\.*$/.test(name);

/** The folder of the charts that open at a start: a terminal opens its first profile where the last one lists no charts. */
export const findProfileFolder = async (
  files: ConfinedFiles,
  form: ProfileForm,
  codePage: CodePage | undefined,
): Promise<string> => {
  const { folder, fallback } = form;
  try {
    const name = await form.findLast(files, codePage);
    if (name !== undefined && isFolderName(name) && (await files.hasFile(`${folder}/${name}/${ORDER_FILE}`))) {
      return `${folder}/${name}`;
    }
  } catch (error) {
    if (!(error instanceof UnsafeFileError)) throw error;
  }
  return `${folder}/${fallback}`;
};
