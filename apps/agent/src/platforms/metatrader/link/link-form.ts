/** Where the link program, which tells Berth what an account has, is in one program of the family. */
export interface LinkForm {
  /** The exchange folder, below the installation. */
  folder: string;
  /** The compiled programs, below the installation, and their sources in `apps/link/src`. */
  programs: readonly { source: string; path: string }[];
  /** Attached by an entry of this file; undefined where only a chart can run it. */
  service: { file: string; name: string; path: string } | undefined;
}

export const mt5Link: LinkForm = {
  folder: 'MQL5/Files/Berth',
  programs: [
    { source: 'BerthLink.mq5', path: 'MQL5/Services/Berth/BerthLink.ex5' },
    { source: 'BerthLinkOrders.mq5', path: 'MQL5/Experts/Berth/BerthLinkOrders.ex5' },
  ],
  service: { file: 'config/services.ini', name: 'BerthLink', path: 'Services\\Berth\\BerthLink.ex5' },
};

export const mt4Link: LinkForm = {
  folder: 'MQL4/Files/Berth',
  programs: [{ source: 'BerthLink.mq4', path: 'MQL4/Experts/Berth/BerthLink.ex4' }],
  service: undefined,
};

/** The compiled programs that a host has. */
export interface LinkProgram {
  version: string;
  files: readonly { path: string; content: Buffer }[];
}

/** Commands that nobody has carried out yet, and answers that nobody has read yet. */
export const EXCHANGE_FOLDERS = ['commands', 'answers'] as const;
