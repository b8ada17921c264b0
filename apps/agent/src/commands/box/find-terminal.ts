import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError, UsageError } from '@berth/command';
import { createLogger } from '@berth/kit';
import { toWineBox } from '../../launchers/wine/box-paths.ts';
import { WineBox, type LivingBox } from '../../launchers/wine/wine-box.ts';
import { WineHost } from '../../launchers/wine/wine-host.ts';
import type { HostSettings } from '../host-command.ts';

/** A terminal that is installed on this machine. */
export interface FoundTerminal {
  id: string;
  platform: string;
  folder: string;
  /** The agent's host that it belongs to. */
  host: string;
}

const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;
/** Fewer characters of an id would soon be ambiguous. */
const MIN_LETTERS = 4;

const findPlatform = async (folder: string): Promise<string | undefined> => {
  try {
    const { platform } = JSON.parse(await readFile(join(folder, 'terminal.json'), 'utf8')) as { platform?: unknown };
    return typeof platform === 'string' ? platform : undefined;
  } catch {
    return undefined;
  }
};

const listTerminals = async ({ directory, hosts }: HostSettings): Promise<FoundTerminal[]> => {
  const found: FoundTerminal[] = [];
  for (const host of hosts) {
    const parent = join(directory, host, 'terminals');
    for (const id of (await readdir(parent).catch((): string[] => [])).filter((name) => ID.test(name))) {
      const folder = join(parent, id);
      const platform = await findPlatform(folder);
      if (platform !== undefined) found.push({ id, platform, folder, host });
    }
  }
  return found;
};

/**
 * The terminal with this id, of which a unique prefix is enough. Throws a CommandError where there is none, or several.
 */
export const getTerminal = async (text: string, settings: HostSettings): Promise<FoundTerminal> => {
  const start = text.toLowerCase();
  if (start.length < MIN_LETTERS || !/^[0-9a-f-]+$/.test(start)) {
    throw new UsageError(`"${text}" is not the id of a terminal, nor at least its first ${MIN_LETTERS} letters.`);
  }
  const found = (await listTerminals(settings)).filter(({ id }) => id.startsWith(start));
  const [terminal, other] = found;
  if (!terminal) {
    const where = `Looked in ${settings.directory} for ${settings.hosts.join(', ')} (BERTH_AGENT_DIR, BERTH_AGENT_HOSTS).`;
    throw new CommandError(`There is no terminal ${text} on this host. ${where}`);
  }
  if (other) throw new CommandError(`Several terminals begin with ${text}: ${found.map(({ id }) => id).join(', ')}.`);
  return terminal;
};

export interface RunningBox {
  box: WineBox;
  host: WineHost;
  living: LivingBox;
}

/** The running box of a terminal under Wine. Throws a CommandError where it does not run. */
export const getRunningBox = async (
  { id, platform, folder }: FoundTerminal,
  settings: HostSettings,
): Promise<RunningBox> => {
  if (platform !== 'mt5' && platform !== 'mt4') {
    throw new CommandError(`The terminal ${id} is of the platform ${platform}, which has no box.`);
  }
  const log = createLogger({ name: 'agent', destination: 2 });
  const host = new WineHost({ settings: settings.wine, folder: settings.sharedFolder, log });
  const box = new WineBox(host, toWineBox(folder).folder, () => undefined);
  const living = await box.find();
  if (living) return { box, host, living };
  throw new CommandError(`The terminal ${id} does not run, so it has no box now.`);
};
