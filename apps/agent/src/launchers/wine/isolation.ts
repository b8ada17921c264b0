import type { ProcessLoad } from '../launcher.ts';
import type { BoxPaths, InsidePaths } from './box-paths.ts';

/** What runs in a box from its start. */
export interface BoxContent {
  paths: BoxPaths;
  inside: InsidePaths;
  /** The folder of the base whose `windows/` the prefix uses; undefined where the prefix has its own. */
  base: string | undefined;
  /** Whether the terminal is a program of 32 bits, or may be. */
  allows32Bit: boolean;
  /** Of everything in the box. No secrets: other users see it in the list of processes. */
  environment: Readonly<Record<string, string>>;
  command: readonly string[];
}

/** What separates a terminal from its neighbours and the host. */
export interface Isolation {
  readonly level: 'full' | 'none';
  /** Creates what must exist before a box's start can be prepared. */
  prepare(paths: BoxPaths): Promise<void>;
  /** The user that a box runs as; undefined for the agent's own. */
  findUser(paths: BoxPaths): Promise<number | undefined>;
  /** The command that isolates the content and runs it. */
  toCommand(content: BoxContent): Promise<string[]>;
  /** Makes all files of a box its user's. Nothing runs in it. */
  giveFiles(paths: BoxPaths): Promise<void>;
  /** The total usage of a box, if the host counts it; undefined where it has to be summed up. */
  measure(paths: BoxPaths): Promise<ProcessLoad | undefined>;
  /** Why boxes do not start on this host, if that is known: a sentence that says what to do. */
  findObstacle(): Promise<string | undefined>;
  /** Removes what a box has on the host outside its folder. Nothing runs in it. */
  clean(paths: BoxPaths): Promise<void>;
  /** Forgets a box that is removed. */
  forget(paths: BoxPaths): Promise<void>;
}
