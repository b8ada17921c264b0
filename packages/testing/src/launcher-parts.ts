/** The launchers of the agent, for tests under Wine, which import no app themselves. */
export type {
  Box,
  Launcher,
  ProcessHandle,
  Processes,
  Program,
  Screen,
} from '../../../apps/agent/src/launchers/launcher.ts';
export { DeskFolder, type DeskAnswer } from '../../../apps/agent/src/launchers/windows/desk-folder.ts';
export {
  toCreateDeskTask,
  toDeskTaskXml,
  toTaskFile,
  type WindowsCommand,
} from '../../../apps/agent/src/launchers/windows/windows-commands.ts';
export {
  createWindowsLauncher,
  type WindowsLauncherOptions,
} from '../../../apps/agent/src/launchers/windows/windows-launcher.ts';
