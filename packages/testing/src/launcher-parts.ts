/** The agent's launchers, for tests under Wine, which do not import apps themselves. */
export type {
  Box,
  Launcher,
  ProcessHandle,
  Processes,
  Program,
  Screen,
} from '../../../apps/agent/src/launchers/launcher.ts';
export { SessionFolder, type SessionAnswer } from '../../../apps/agent/src/launchers/windows/session-folder.ts';
export {
  toCreateSessionTask,
  toSessionTaskXml,
  toTaskFile,
  type WindowsCommand,
} from '../../../apps/agent/src/launchers/windows/windows-commands.ts';
export {
  createWindowsLauncher,
  type WindowsLauncherOptions,
} from '../../../apps/agent/src/launchers/windows/windows-launcher.ts';
