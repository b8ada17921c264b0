import { mt4Dialect, mt5Dialect } from '../../dialect.ts';
import type { RealProgram } from './real-edition.ts';

/** The vendor's programs, where `prepare-base` puts them. */
export const realPrograms = {
  mt5: {
    platform: 'mt5',
    dialect: mt5Dialect,
    folderName: 'mt5',
    fileName: 'terminal64.exe',
    showAllSymbols: 'MQL5/Scripts/ShowAllSymbols.ex5',
  },
  mt4: {
    platform: 'mt4',
    dialect: mt4Dialect,
    folderName: 'mt4',
    fileName: 'terminal.exe',
    showAllSymbols: 'MQL4/Scripts/ShowAllSymbols.ex4',
  },
} as const satisfies Record<string, RealProgram>;
