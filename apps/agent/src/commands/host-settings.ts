/** What the commands take of the agent's settings. None is required: a machine is looked at before it has a server. */
export interface HostSettings {
  /** The agent's folder. */
  directory: string;
  /** Holds the bases that terminals are copied from. */
  basesFolder: string;
  serverUrl: string | undefined;
  /** Names of the hosts that the agent carries, which are their folders too. */
  hosts: readonly string[];
  /** What the agent is set to run; undefined where nothing is set. */
  platforms: readonly string[] | undefined;
  isolation: 'full' | 'none';
  /** What is reserved for a terminal under Wine. */
  terminalMemoryBytes: number;
  /** Holds berth-window.exe, which works the dialogs of terminals. */
  windowProgramFolder: string;
  version: string;
}
