import type { Box, Launcher } from '../../launchers/launcher.ts';
import type { Edition, Operator } from './edition.ts';
import type { TerminalHome } from './home.ts';
import type { RecordFile } from './record.ts';
import type { LiveTerminal } from './run/live-terminal.ts';
import type { Observations } from './run/observations.ts';

/** The context of a task handler: one terminal's folders, memory, running process and access to the screen. */
export interface TerminalParts {
  id: string;
  home: TerminalHome;
  edition: Edition;
  launcher: Launcher;
  box: Box;
  operator: Operator;
  record: RecordFile;
  live: LiveTerminal;
  observations: Observations;
}
