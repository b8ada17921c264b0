import type { Launcher, TerminalHome } from '../../launchers/launcher.ts';
import type { RecordFile } from './record.ts';
import type { Observations } from './run/observations.ts';
import type { Session } from './run/session.ts';

/** What a task handler works with: one terminal's folders, memory, running process and way to the screen. */
export interface TerminalParts {
  id: string;
  home: TerminalHome;
  launcher: Launcher;
  record: RecordFile;
  session: Session;
  observations: Observations;
}
