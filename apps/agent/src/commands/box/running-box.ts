import { toWineBox } from '../../launchers/wine/box-paths.ts';
import { WineBox, type LivingBox } from '../../launchers/wine/wine-box.ts';
import { WineHost } from '../../launchers/wine/wine-host.ts';
import { CommandError } from '@berth/command';
import type { HostSettings } from '../host-settings.ts';
import type { FoundTerminal } from './find-terminal.ts';

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
  const host = new WineHost({ settings: settings.wine, folder: settings.sharedFolder });
  const box = new WineBox(host, toWineBox(folder).folder, () => undefined);
  const living = await box.find();
  if (living) return { box, host, living };
  throw new CommandError(`The terminal ${id} does not run, so it has no box now.`);
};
