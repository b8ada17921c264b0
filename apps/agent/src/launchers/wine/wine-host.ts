import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@berth/kit';
import { LauncherError } from '../launcher.ts';
import { withLauncherErrors } from '../process/launcher-errors.ts';
import type { InsidePaths } from './box-paths.ts';
import { DiskWatch } from './disk-watch.ts';
import { FullIsolation } from './full-isolation.ts';
import { TOOL_PATH } from './host-tools.ts';
import { NoIsolation } from './no-isolation.ts';
import type { WineSettings } from './settings.ts';
import type { Isolation } from './isolation.ts';
import { getWinePrograms, type WinePrograms } from './wine-programs.ts';

/** The window program's file, in the build and in a box. */
export const WINDOW_PROGRAM = 'berth-window.exe';

/** No prompts for Mono and Gecko, no menus, and no search for devices, which takes hundreds of wake-ups a second. */
const DLL_OVERRIDES = 'mscoree,mshtml=d;winemenubuilder.exe=d;winebus.sys,wineusb.sys,winebth.sys,winehid.sys=d';

/** With less on the volume, every program on the host is about to fail. */
const LEAST_FREE = { bytes: 1024 ** 3, entries: 20_000 };

export interface WineHostOptions {
  settings: WineSettings;
  /** A folder of the agent for everything that boxes share. */
  folder: string;
  /** The register of the boxes' users. */
  usersFolder?: string;
  log: Logger;
}

/** What all boxes of a host share: its settings, its Wine, and its means of isolation. */
export class WineHost {
  readonly settings: WineSettings;
  readonly isolation: Isolation;
  readonly disk: DiskWatch;
  #programs: Promise<WinePrograms> | undefined;

  constructor({ settings, folder, usersFolder = '/var/lib/berth/uids', log }: WineHostOptions) {
    this.settings = settings;
    const { diskBytes, diskEntries } = settings.limits;
    const limits = { most: { bytes: diskBytes, entries: diskEntries }, leastFree: LEAST_FREE };
    this.disk = new DiskWatch({ limits, log });
    this.isolation =
      settings.isolation === 'none' ? new NoIsolation() : new FullIsolation({ settings, folder, usersFolder });
  }

  /** Wine's programs, searched for until found. */
  async getPrograms(): Promise<WinePrograms> {
    this.#programs ??= getWinePrograms(this.settings.wineFolder);
    try {
      return await this.#programs;
    } catch (error) {
      this.#programs = undefined;
      throw error;
    }
  }

  /** The environment of every program in a box. Pure. */
  toEnvironment({ home, prefix }: InsidePaths): Record<string, string> {
    const { wineDebug } = this.settings;
    return {
      PATH: TOOL_PATH,
      HOME: home,
      USER: 'trader',
      LANG: 'C.UTF-8',
      WINEPREFIX: prefix,
      WINEDLLOVERRIDES: DLL_OVERRIDES,
      ...(wineDebug === undefined ? {} : { WINEDEBUG: wineDebug }),
    };
  }

  /** The window program, after its checksum was verified. */
  async readWindowProgram(): Promise<Buffer> {
    const path = join(this.settings.programFolder, WINDOW_PROGRAM);
    const [program, sum] = await withLauncherErrors(() =>
      Promise.all([readFile(path), readFile(`${path}.sha256`, 'utf8')]),
    );
    if (createHash('sha256').update(program).digest('hex') === sum.split(' ')[0]) return program;
    throw new LauncherError('missing', `${path} is not what its checksum says. Install the agent again.`);
  }
}
