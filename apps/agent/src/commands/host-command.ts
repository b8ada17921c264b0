import { type Command, type CommandCall, UsageError } from '@berth/command';
import type { WineSettings } from '../launchers/wine/settings.ts';
import type { BasedPlatform } from '../bases/places.ts';

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

/** The platforms whose terminals come from a base. */
export const realPlatforms = ['mt5', 'mt4'] as const satisfies readonly BasedPlatform[];

export type RealPlatform = BasedPlatform;

/** @param value of the option `--platform` */
export const findPlatformOption = (value: string | boolean | undefined): RealPlatform | undefined => {
  if (value === undefined) return undefined;
  const platform = realPlatforms.find((name) => name === value);
  if (!platform) throw new UsageError(`--platform must be mt5 or mt4, not "${value}".`);
  return platform;
};
