/** What the operator of a Windows host may say about its terminals. */
import type { EnvReader } from '@berth/kit';
import { readTerminalLimits, type TerminalLimits } from '../terminal-limits.ts';
import { findFolderMistake } from './windows-paths.ts';

export interface WindowsSettings {
  sessionFolder: string;
  limits: TerminalLimits;
}

/** Collects mistakes in the reader. @param directory the agent's folder, in which the terminals are */
export const readWindowsSettings = (env: EnvReader, directory: string): WindowsSettings => {
  const mistake = findFolderMistake(directory);
  if (mistake !== undefined) env.reject('BERTH_AGENT_DIR', `is no folder for terminals on Windows: ${mistake}`);
  return {
    sessionFolder: env.text('BERTH_AGENT_SESSION_FOLDER') ?? 'C:\\berth\\session',
    limits: readTerminalLimits(env, { canBeLifted: true }),
  };
};
