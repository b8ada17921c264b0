/** Where one program of the family keeps the files that the driver reads and writes, below the terminal's folder. */
export interface Layout {
  journal: string;
  /** What experts print. */
  expertsLog: string;
  /** The folder of all compiled programs; an EA's path is relative to it. */
  programs: string;
  /** The extension of compiled programs, with its dot. */
  programEnding: string;
}

export const mt5Layout: Layout = {
  journal: 'logs',
  expertsLog: 'MQL5/Logs',
  programs: 'MQL5',
  programEnding: '.ex5',
};

export const mt4Layout: Layout = {
  journal: 'logs',
  expertsLog: 'MQL4/Logs',
  programs: 'MQL4',
  programEnding: '.ex4',
};
