import type { ProcessLoad } from '../launcher.ts';
import type { BoxPaths, InsidePaths } from './box-paths.ts';

/** What is to run in a box from its start on. */
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

/** What stands between a terminal on one side, and its neighbours and the host on the other. */
export interface Isolation {
  readonly level: 'full' | 'none';
  /** Whatever must be there before a box's start can be prepared. */
  prepare(paths: BoxPaths): Promise<void>;
  /** The user that a box runs as; undefined for the agent's own. */
  findUser(paths: BoxPaths): Promise<number | undefined>;
  /** The command that isolates the content and runs it. */
  toCommand(content: BoxContent): Promise<string[]>;
  /** Makes all files of a box its user's. Nothing runs in it. */
  giveFiles(paths: BoxPaths): Promise<void>;
  /** What everything in a box takes, where the host counts it; undefined where it has to be summed up. */
  measure(paths: BoxPaths): Promise<ProcessLoad | undefined>;
  /** Why boxes do not start on this host, where that is known: a sentence that says what to do. */
  findObstacle(): Promise<string | undefined>;
  /** Takes away what a box has on the host beside its folder. Nothing runs in it. */
  clean(paths: BoxPaths): Promise<void>;
  /** Forgets a box that is removed. */
  forget(paths: BoxPaths): Promise<void>;
}
