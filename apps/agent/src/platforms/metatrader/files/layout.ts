/** Where one program of the family keeps what the driver reads and writes, below the terminal's folder. */
export interface Layout {
  journal: string;
  /** What experts print. */
  expertsLog: string;
  /** The folder of all compiled programs; an expert's path is relative to it. */
  programs: string;
  /** Of compiled programs, with its point. */
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
