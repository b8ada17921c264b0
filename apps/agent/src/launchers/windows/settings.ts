/** What the operator of a Windows host may say about its terminals. */
import type { EnvReader } from '@berth/kit';
import type { JobLimits } from './desk.ts';
import { findFolderMistake } from './windows-paths.ts';

export interface WindowsSettings {
  deskFolder: string;
  limits: JobLimits;
}

/** Collects mistakes in the reader. @param directory the agent's folder, in which the terminals are */
export const readWindowsSettings = (env: EnvReader, directory: string): WindowsSettings => {
  const mistake = findFolderMistake(directory);
  if (mistake !== undefined) env.reject('BERTH_AGENT_DIR', `is no folder for terminals on Windows: ${mistake}`);
  return {
    deskFolder: env.text('BERTH_AGENT_DESK') ?? 'C:\\berth\\desk',
    limits: {
      memoryMb: env.integer('BERTH_AGENT_TERMINAL_MEMORY_MB', { fallback: 1024, min: 0, max: 65_536 }),
      processes: env.integer('BERTH_AGENT_TERMINAL_PROCESSES', { fallback: 256, min: 0, max: 32_768 }),
      cpuPercent: env.integer('BERTH_AGENT_TERMINAL_CPU_PERCENT', { fallback: 100, min: 0, max: 100_000 }),
    },
  };
};
