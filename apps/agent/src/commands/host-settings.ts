import type { WineSettings } from '../launchers/wine/settings.ts';

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
  /** Of terminals under Wine, their boxes included. */
  wine: WineSettings;
  /** The agent's folder of what all boxes share. */
  sharedFolder: string;
  /** Holds the Windows programs: what works the dialogs of terminals, and the service of Windows hosts. */
  windowProgramFolder: string;
  version: string;
}
