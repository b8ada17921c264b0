import type { Command, CommandCall } from '@berth/command';
import type { WineSettings } from '../launchers/wine/settings.ts';

/** The agent's settings that commands use. None is required: a machine can be inspected before it has a server. */
export interface HostSettings {
  /** The agent's folder. */
  directory: string;
  /** Holds the bases that terminals are copied from. */
  basesFolder: string;
  serverUrl: string | undefined;
  /** Names of the hosts that the agent runs, which are also the names of their folders. */
  hosts: readonly string[];
  /** The platforms that the agent is configured to run; undefined where it is not. */
  platforms: readonly string[] | undefined;
  /** For terminals under Wine, including their boxes. */
  wine: WineSettings;
  /** The agent's folder with everything that boxes share. */
  sharedFolder: string;
  /** Holds the source of the link program, in MQL. */
  linkSource: string;
  version: string;
}

/** A command of `script/agent`. */
export type HostCommand = Command<HostSettings>;

export type HostCall = CommandCall<HostSettings>;
